import { Command } from 'commander'
import type { OnAdministratorCreated } from '#ledger/administrator.ts'
import { inSentence } from '#resources/machine/labels.ts'
import { loadResources } from '#src/app/resources.ts'
import { type App, apiPrefix, openApp } from '#src/app.ts'
import { exitCodes, sentenceOf } from '#src/cli/exit.ts'
import { asFileError } from '#src/cli/files.ts'
import { describeDatabase, printNote } from '#src/cli/output.ts'
import { addSettingFlags, configOf, rereadConfig } from '#src/cli/settings.ts'
import { passSignalsTo } from '#src/cli/signals.ts'
import { isLoopback, listeningHosts } from '#src/config/allowed-hosts.ts'
import type { Config } from '#src/config.ts'
import { commit, version, versionAndCommit } from '#src/version.ts'

export const serveCommand = () => {
  const command = new Command('serve').description('Start the service.')
  addSettingFlags(command).addHelpText(
    'after',
    `
Signals:
  SIGTERM  reports at /health/ready that it is stopping, answers requests that still arrive, and ends within 10 seconds
  SIGINT   answers the requests that have arrived, and ends; a second signal ends it at once
  SIGHUP   reads the certificate, the refused passwords and LOG_LEVEL again; other settings need a restart.
           If the terminal on which it was started is closed, it ends as by SIGINT

Examples:
  rollcall serve
  rollcall serve --port 9000 --database-url sqlite:/var/lib/rollcall/rollcall.db
  ACCESS=basic HOST=0.0.0.0 DATABASE_URL=postgres://rollcall@db1,db2/rollcall rollcall serve`,
  )
  return command.action(async () => {
    const config = configOf(command)
    const app = await openApp(config, { onAdministratorCreated: showAdministrator })
    app.writeLog('started', { version, commit: commit() })
    await printBanner(config, app)
    process.on('uncaughtException', crashHandler(app))
    passSignalsTo({ stop: stopHandler(app), reload: reloadHandler(app, () => rereadConfig(command)) })
  })
}

/** Prints the password at once: if the rest of the start fails, the next start finds the administrator, but not the password. */
const showAdministrator: OnAdministratorCreated = ({ signId, password }) =>
  showOnce(`rollcall: created the administrator ${signId}, password ${password} (shown only once).`)

const printBanner = async (config: Config, app: App) => {
  const lines: (readonly [string, string])[] = [
    ['Console', app.managementUrl ?? 'off'],
    ['API', app.url + apiPrefix],
    ['Data', describeDatabase(config.DATABASE_URL)],
    ['Open to', audienceOf(config)],
  ]
  if (process.stderr.isTTY) lines.push(['To end', 'Ctrl-C'])
  const loaded = await loadResources(config.RESOURCES)
  // Extensions have no plural.
  const declared = loaded.flatMap((one) => ('plural' in one ? [inSentence(one.plural)] : []))
  const resourceList = new Intl.ListFormat('en-GB').format(['members', 'todos', ...declared])
  const rows = lines.map(([name, value]) => `  ${name.padEnd(9)} ${value}`)
  printNote(`Rollcall ${versionAndCommit()} keeps ${resourceList}. It is up.\n${rows.join('\n')}`)
}

const audienceOf = (config: Config) => {
  const { ACCESS } = config
  if (ACCESS === 'basic') return 'members and the administrator (ACCESS=basic)'
  if (ACCESS === 'oauth') return 'anyone with a token from the issuer (ACCESS=oauth)'
  const isLocal = listeningHosts(config).every(([, host]) => isLoopback(host))
  return `anyone ${isLocal ? 'on this machine' : 'who can reach it'}, without signing in (ACCESS=open)`
}

/** Makes the handler of SIGHUP. If the settings would make the next start fail, the handler changes nothing and reports the fault. */
const reloadHandler = (app: App, reread: () => Config) => {
  const reload = async () => {
    const { LOG_LEVEL } = reread()
    await app.reload(LOG_LEVEL)
    logAndPrint(
      'info',
      `certificate and refused passwords read again, LOG_LEVEL=${LOG_LEVEL}. All other settings are in force only after a restart.`,
    )
  }
  // Writes to the log as well, because nobody sees standard error under a supervisor.
  const logAndPrint = (level: 'info' | 'error', words: string) => {
    app.writeLog(words, {}, level)
    printNote(`rollcall: ${words}`)
  }
  let last = Promise.resolve()
  return () => {
    // Reloads one after another, so that the settings that were read last are in force.
    last = last.then(reload).catch((error) => logAndPrint('error', `nothing changed. ${error.message}`))
  }
}

/** The longest time that a stop may take. A process that hangs can be ended then, because every acknowledged write is durable. */
const maxStopMs = 9_700

/** Two signals within this time count as one: npm passes on a Ctrl-C that the terminal has also sent to this process. */
const sameSignalMs = 300

/** Drains only after SIGTERM: a supervisor needs time to redirect callers, a person who presses Ctrl-C does not want to wait. */
const stopHandler = (app: App) => {
  const exitWith = (code: number) => void app.closeLog().then(() => process.exit(code))
  let firstAtMs: number | undefined
  return (signal: NodeJS.Signals) => {
    if (firstAtMs !== undefined) {
      if (performance.now() - firstAtMs > sameSignalMs) exitWith(exitCodes.stopped)
      return
    }
    firstAtMs = performance.now()
    app.writeLog('stopping', { signal })
    setTimeout(() => exitWith(exitCodes.stopped), maxStopMs).unref()
    const drained = signal === 'SIGTERM' ? app.drain() : Promise.resolve()
    void drained.then(app.close).then(
      () => process.exit(exitCodes.stopped),
      (error) => {
        printError(error)
        process.exit(exitCodes.failed)
      },
    )
  }
}

/** Handles an uncaught error, which is a bug of Rollcall: writes the buffered log lines and the error, and ends the process. */
const crashHandler = (app: App) => (error: unknown) => {
  app.logCrash(error)
  printError(error)
  void app.closeLog().then(() => process.exit(exitCodes.failed))
}

const printError = (error: unknown) => process.stderr.write(`rollcall: ${sentenceOf(error) ?? error}\n`)

/** Writes a secret that can be shown only once to standard error. Throws if the secret cannot be written. */
const showOnce = (line: string) =>
  new Promise<void>((resolve, reject) => {
    const done = (error?: Error | null) =>
      error ? reject(asFileError('Standard error', 'written', error)) : resolve()
    process.stderr.write(`${line}\n`, done)
  })
