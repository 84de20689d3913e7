import type { Command } from 'commander'
import { serveCommand } from './serve.ts'

/** One line a command, in the order of the help. */
export const commands = (_program: Command): readonly Command[] => [serveCommand()]
