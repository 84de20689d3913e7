import { type ParseArgsConfig, parseArgs } from 'node:util'

const help = { help: { type: 'boolean', default: false } } as const

/** The arguments of a script. With `--help` it prints its usage and exits; for unknown arguments it exits with 2. */
export const readArguments = <Config extends ParseArgsConfig>(usage: string, config: Config) => {
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
