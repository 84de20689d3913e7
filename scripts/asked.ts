import { type ParseArgsConfig, parseArgs } from 'node:util'

const help = { help: { type: 'boolean', default: false } } as const

/** What a command was asked. Asked for help it tells its usage and ends; asked what it does not know it ends with 2. */
export const asked = <Config extends ParseArgsConfig>(usage: string, config: Config) => {
  try {
    const found = parseArgs({ ...config, options: { ...config.options, ...help } } as Config)
    if (!('help' in found.values && found.values.help)) return found
    process.stdout.write(usage)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}
