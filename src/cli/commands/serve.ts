import { Command } from 'commander'
import type { AdministratorCreated } from '#ledger/administrator.ts'
import { type App, apiPrefix, openApp, reloadable } from '#src/app.ts'
import { withoutPassword } from '#src/cli/secrets.ts'
import { addSettings, givenSettings, givenSettingsAgain, settingNames } from '#src/cli/settings.ts'
import { showOnce } from '#src/cli/shown-once.ts'
import { giveSignals } from '#src/cli/signals.ts'
import { crashing, stopping } from '#src/cli/stopping.ts'
import { settings } from '#src/config/settings.ts'
import { type Config, type GivenSettings, readGiven, type SettingName, textOf } from '#src/config.ts'
import { version } from '#src/version.ts'

export const serveCommand = () => {
  const command = new Command('serve').description('Start the service.')
  addSettings(command).addHelpText(
    'after',
    `
Signals:
  SIGTERM  reports at /health/ready that it is stopping, answers what still arrives, and ends within 10 seconds
  SIGINT   answers the requests it has, and ends; a second signal ends it at once
  SIGHUP   reads the settings again, and reports which need a restart

Examples:
  rollcall serve
  rollcall serve --port 9000 --database-url sqlite:/var/lib/rollcall/rollcall.db
  ACCESS=basic HOST=0.0.0.0 DATABASE_URL=postgres://rollcall@db1,db2/rollcall rollcall serve`,
  )
  return command.action(async () => {
    const given = givenSettings(command)
    const config = readGiven(given)
    const app = await openApp(config, { administratorCreated: showAdministrator })
    app.note('started', { version })
    greet(config, app)
    process.on('uncaughtException', crashing(app))
    giveSignals({ stop: stopping(app), reload: reloading(app, given, () => givenSettingsAgain(command)) })
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

const reloading = (app: App, first: GivenSettings, readAgain: () => GivenSettings) => {
  let current = first
  const reload = async () => {
    const next = readAgain()
    // Settings that would make the next start fail are refused now.
    readGiven(next)
    const changed = settingNames.filter((name) => textOf(name, next) !== textOf(name, current))
    const [applied, pending] = [changed.filter(isReloadable), changed.filter((name) => !isReloadable(name))]
    const inForce = { ...next, file: { ...next.file, ...textsOf(pending, current) } }
    await app.reload(readGiven(inForce))
    current = inForce
    report(
      'info',
      `settings read again. ${changes(applied, next)}${filesReadAgain(inForce)}${needsStart(pending)}`,
    )
  }
  /** Nobody may be at the terminal: what a supervisor's signal did is looked for in the log. */
  const report = (level: 'info' | 'error', words: string) => {
    app.note(words, {}, level)
    say(`rollcall: ${words}`)
  }
  let last = Promise.resolve()
  return () => {
    // Reloads run one after another, so that the settings read last are in force.
    last = last.then(reload).catch((error) => report('error', `settings not changed. ${error.message}`))
  }
}

const isReloadable = (name: SettingName) => reloadable.has(name)

/** A setting that cannot change while running keeps its value, and is named again at the next signal. */
const textsOf = (names: readonly SettingName[], given: GivenSettings) =>
  Object.fromEntries(names.map((name) => [name, textOf(name, given)]))

const changes = (names: readonly SettingName[], given: GivenSettings) =>
  names.length === 0
    ? 'No setting that can change while running has changed.'
    : `Now in force: ${names.map((name) => `${name}=${shown(name, given)}`).join(', ')}.`

/** Settings that name files: the content may have changed even if the setting has not. */
const filesReadAgain = (given: GivenSettings) => {
  const names = fileSettings.filter((name) => textOf(name, given) !== undefined)
  return names.length === 0 ? '' : ` Files read again: ${names.join(', ')}.`
}

const fileSettings: readonly SettingName[] = ['TLS_CERT', 'TLS_KEY', 'REFUSED_PASSWORDS']

const shown = (name: SettingName, given: GivenSettings) =>
  settings[name].isSecret ? '***' : (textOf(name, given) ?? '')

const needsStart = (names: readonly SettingName[]) =>
  names.length === 0 ? '' : ` In force only after a restart: ${names.join(', ')}.`
