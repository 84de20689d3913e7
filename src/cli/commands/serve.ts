import { Command } from 'commander'
import type { OnAdministratorCreated } from '#ledger/administrator.ts'
import { inSentence } from '#resources/machine/labels.ts'
import { loadResources } from '#src/app/resources.ts'
import { type App, apiPrefix, openApp } from '#src/app.ts'
import { exitCodes, sentenceOf } from '#src/cli/exit.ts'
import { asFileError } from '#src/cli/files.ts'
import { note, targetOf } from '#src/cli/output.ts'
import { addSettings, configAgain, configOf } from '#src/cli/settings.ts'
import { passSignalsTo } from '#src/cli/signals.ts'
import { isLoopback, listeningHosts } from '#src/config/allowed-hosts.ts'
import type { Config } from '#src/config.ts'
import { commit, version, versionAndCommit } from '#src/version.ts'

export const serveCommand = () => {
  const command = new Command('serve').description('Start the service.')
  addSettings(command).addHelpText(
    'after',
    `
Signals:
  SIGTERM  reports at /health/ready that it is stopping, answers what still arrives, and ends within 10 seconds
  SIGINT   answers the requests it has, and ends; a second signal ends it at once
  SIGHUP   reads the certificate, the refused passwords and LOG_LEVEL again; other settings need a restart.
           Started on a terminal that is closed now, it ends as by SIGINT

Examples:
  rollcall serve
  rollcall serve --port 9000 --database-url sqlite:/var/lib/rollcall/rollcall.db
  ACCESS=basic HOST=0.0.0.0 DATABASE_URL=postgres://rollcall@db1,db2/rollcall rollcall serve`,
  )
  return command.action(async () => {
    const config = configOf(command)
    const app = await openApp(config, { onAdministratorCreated: showAdministrator })
    app.note('started', { version, commit: commit() })
    await greet(config, app)
    process.on('uncaughtException', crashHandler(app))
    passSignalsTo({ stop: stopHandler(app), reload: reloadHandler(app, () => configAgain(command)) })
  })
}

/** Printed at once: if the start fails later, the next one finds the administrator and cannot show the password again. */
const showAdministrator: OnAdministratorCreated = ({ signId, password }) =>
  showOnce(`rollcall: created the administrator ${signId}, password ${password} (shown only once).`)

const greet = async (config: Config, app: App) => {
  const lines: (readonly [string, string])[] = [
    ['Console', app.managementUrl ?? 'off'],
    ['API', app.url + apiPrefix],
    ['Data', targetOf(config.DATABASE_URL)],
    ['Open to', audienceOf(config)],
  ]
  if (process.stderr.isTTY) lines.push(['To end', 'Ctrl-C'])
  const brought = await loadResources(config.RESOURCES)
  const declared = brought.flatMap((one) => ('plural' in one ? [inSentence(one.plural)] : []))
  const kept = listText(['members', 'todos', ...declared])
  const rows = lines.map(([name, value]) => `  ${name.padEnd(9)} ${value}`)
  note(`Rollcall ${versionAndCommit()} keeps ${kept}. It is up.\n${rows.join('\n')}`)
}

const listText = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names)

const audienceOf = (config: Config) => {
  const { ACCESS } = config
  if (ACCESS === 'basic') return 'members and the administrator (ACCESS=basic)'
  if (ACCESS === 'oauth') return 'anyone with a token from the issuer (ACCESS=oauth)'
  const isLocal = listeningHosts(config).every(([, host]) => isLoopback(host))
  return `anyone ${isLocal ? 'on this machine' : 'who can reach it'}, without signing in (ACCESS=open)`
}

/** Handles SIGHUP. Refuses settings with which the next start would fail. */
const reloadHandler = (app: App, readAgain: () => Config) => {
  const reload = async () => {
    const { LOG_LEVEL } = readAgain()
    await app.reload(LOG_LEVEL)
    tell(
      'info',
      `certificate and refused passwords read again, LOG_LEVEL=${LOG_LEVEL}. All other settings are in force only after a restart.`,
    )
  }
  // Goes to the log as well: under a supervisor nobody sees standard error.
  const tell = (level: 'info' | 'error', words: string) => {
    app.note(words, {}, level)
    note(`rollcall: ${words}`)
  }
  let last = Promise.resolve()
  return () => {
    // One after another, so that the settings read last are in force.
    last = last.then(reload).catch((error) => tell('error', `nothing changed. ${error.message}`))
  }
}

/** The longest that a stop may take. A process that hangs may be ended then, because every acknowledged write is durable. */
const maxStopMs = 9_700

/** Two signals within this time count as one: npm passes on a Ctrl-C that the terminal has also sent to this process. */
const sameSignalMs = 300

/** After SIGTERM, a supervisor needs time to redirect callers. A person who presses Ctrl-C (SIGINT) does not want to wait. */
const stopHandler = (app: App) => {
  const end = (code: number) => void app.closeLog().then(() => process.exit(code))
  let firstAtMs: number | undefined
  return (signal: NodeJS.Signals) => {
    if (firstAtMs !== undefined) {
      if (performance.now() - firstAtMs > sameSignalMs) end(exitCodes.stopped)
      return
    }
    firstAtMs = performance.now()
    app.note('stopping', { signal })
    setTimeout(() => end(exitCodes.stopped), maxStopMs).unref()
    const drained = signal === 'SIGTERM' ? app.drain() : Promise.resolve()
    void drained.then(app.close).then(
      () => process.exit(exitCodes.stopped),
      (error) => {
        report(error)
        process.exit(exitCodes.failed)
      },
    )
  }
}

/** An uncaught error is a bug of Rollcall. Writes the waiting log lines and the error, and ends the process. */
const crashHandler = (app: App) => (error: unknown) => {
  app.noteCrash(error)
  report(error)
  void app.closeLog().then(() => process.exit(exitCodes.failed))
}

const report = (error: unknown) => process.stderr.write(`rollcall: ${sentenceOf(error) ?? error}\n`)

/** Writes a secret, which can be shown only once, to standard error. Throws if it cannot be written. */
const showOnce = (line: string) =>
  new Promise<void>((resolve, reject) => {
    const written = (error?: Error | null) =>
      error ? reject(asFileError('Standard error', 'written', error)) : resolve()
    process.stderr.write(`${line}\n`, written)
  })
