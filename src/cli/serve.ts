import { Command } from 'commander'
import { type App, openApp } from '#src/app.ts'
import { type Config, readConfig, type SettingName, settings } from '#src/config.ts'
import { addSettings, givenFlags } from './settings.ts'

export const serveCommand = () => {
  const command = new Command('serve').description('Start the service.')
  addSettings(command, Object.keys(settings) as SettingName[])
  return command.action(async () => {
    const config = readConfig(process.env, givenFlags(command))
    const app = await openApp(config)
    greet(config, app)
    closeOnSignal(app)
  })
}

const whoMayEnter = {
  open: 'everybody (ACCESS=open)',
  basic: 'members and the administrator (ACCESS=basic)',
  oauth: 'who brings a token of the issuer (ACCESS=oauth)',
}

const administratorLines = ({ madeAdministrator: made }: App): readonly (readonly string[])[] =>
  made ? [['Admin', `${made.signId}, password ${made.password} (shown only now)`]] : []

const greet = (config: Config, app: App) => {
  const lines = [
    ['API', `${app.url}/api/v1`],
    ['Management', app.managementUrl ?? 'off'],
    ['Data', withoutPassword(config.DATABASE_URL)],
    ['May enter', whoMayEnter[config.ACCESS]],
    ...administratorLines(app),
  ]
  process.stderr.write(
    `Rollcall is up.\n${lines.map(([name = '', value]) => `  ${name.padEnd(11)} ${value}\n`).join('')}`,
  )
}

const withoutPassword = (url: string) => url.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:***@')

/** The first signal lets requests finish; the second does not wait for them. */
const closeOnSignal = (app: App) => {
  let isClosing = false
  const close = () => {
    if (isClosing) process.exit(1)
    isClosing = true
    void app.close().then(() => process.exit(0))
  }
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
}
