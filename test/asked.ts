import { type ParseArgsConfig, parseArgs } from 'node:util'

const help = { help: { type: 'boolean', default: false } } as const

/** What a command was asked. Asked for help it tells its usage and ends; so it does, with 2, asked what it does not know. */
export const asked = <Config extends ParseArgsConfig>(usage: string, config: Config) => {
  const tell = (code: number, text: string): never => {
    process[code === 0 ? 'stdout' : 'stderr'].write(text)
    process.exit(code)
  }
  const parsed = () => {
    try {
      return parseArgs({ ...config, options: { ...config.options, ...help } } as Config)
    } catch (error) {
      return tell(2, `${error instanceof Error ? error.message : error}\n\n${usage}`)
    }
  }
  const found = parsed()
  return 'help' in found.values && found.values.help ? tell(0, usage) : found
}
