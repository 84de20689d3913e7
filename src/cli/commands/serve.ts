import { Command } from 'commander'
import type { AdministratorCreated } from '#ledger/administrator.ts'
import { type App, apiPrefix, openApp } from '#src/app.ts'
import { withoutPassword } from '#src/cli/secrets.ts'
import { addSettings, configAgain, configOf } from '#src/cli/settings.ts'
import { showOnce } from '#src/cli/shown-once.ts'
import { giveSignals } from '#src/cli/signals.ts'
import { crashing, stopping } from '#src/cli/stopping.ts'
import type { Config } from '#src/config.ts'
import { version } from '#src/version.ts'

export const serveCommand = () => {
  const command = new Command('serve').description('Start the service.')
  addSettings(command).addHelpText(
    'after',
    `
Signals:
  SIGTERM  reports at /health/ready that it is stopping, answers what still arrives, and ends within 10 seconds
  SIGINT   answers the requests it has, and ends; a second signal ends it at once
  SIGHUP   reads the certificate, the refused passwords and LOG_LEVEL again; other settings need a restart

Examples:
  rollcall serve
  rollcall serve --port 9000 --database-url sqlite:/var/lib/rollcall/rollcall.db
  ACCESS=basic HOST=0.0.0.0 DATABASE_URL=postgres://rollcall@db1,db2/rollcall rollcall serve`,
  )
  return command.action(async () => {
    const config = configOf(command)
    const app = await openApp(config, { administratorCreated: showAdministrator })
    app.note('started', { version })
    greet(config, app)
    process.on('uncaughtException', crashing(app))
    giveSignals({ stop: stopping(app), reload: reloading(app, () => configAgain(command)) })
  })
}

const accessDescriptions = {
  open: 'anyone (ACCESS=open)',
  basic: 'members and the administrator (ACCESS=basic)',
  oauth: 'anyone with a token from the issuer (ACCESS=oauth)',
}

/** Printed at once: if the start failed later, the next one would find the administrator and could not show the password. */
const showAdministrator: AdministratorCreated = ({ signId, password }) =>
  showOnce(`rollcall: created the administrator ${signId}, password ${password} (shown only once).`)

const greet = (config: Config, app: App) => {
  const lines = [
    ['API', app.url + apiPrefix],
    ['Management', app.managementUrl ?? 'off'],
    ['Data', withoutPassword(config.DATABASE_URL)],
    ['Open to', accessDescriptions[config.ACCESS]],
  ]
  say(`Rollcall is up.\n${lines.map(([name = '', value]) => `  ${name.padEnd(11)} ${value}`).join('\n')}`)
}

const say = (text: string) => void process.stderr.write(`${text}\n`)

/** What SIGHUP does. Settings that would make the next start fail are refused already now. */
const reloading = (app: App, readAgain: () => Config) => {
  const reload = async () => {
    const { LOG_LEVEL } = readAgain()
    await app.reload(LOG_LEVEL)
    report('info', `certificate and refused passwords read again, LOG_LEVEL=${LOG_LEVEL}. ${others}`)
  }
  /** Nobody may be at the terminal: what a supervisor's signal did is looked for in the log. */
  const report = (level: 'info' | 'error', words: string) => {
    app.note(words, {}, level)
    say(`rollcall: ${words}`)
  }
  let last = Promise.resolve()
  return () => {
    // One after another, so that what was read last is in force.
    last = last.then(reload).catch((error) => report('error', `nothing changed. ${error.message}`))
  }
}

const others = 'All other settings are in force only after a restart.'
