import type { Command } from 'commander'
import { databaseOnly } from './database-only.ts'

/** Loads all commands. */
export type WholeProgram = () => Promise<Command>

type Loader = (program: WholeProgram) => Promise<Command>

/** One line per command, in the order of the help. A command's modules are loaded only when it is named (decision 0033). */
export const commands: Readonly<Record<string, Loader>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  config: async () => (await import('./config.ts')).configCommand(),
  doctor: async () => databaseOnly((await import('./doctor.ts')).doctorCommand()),
  health: async () => (await import('./health.ts')).healthCommand(),
  member: async () => (await import('./member.ts')).memberCommand(),
  todo: async () => (await import('./todo.ts')).todoCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  export: async () => (await import('./export.ts')).exportCommand(),
  backup: async () => databaseOnly((await import('./backup.ts')).backupCommand()),
  restore: async () => databaseOnly((await import('./restore.ts')).restoreCommand()),
  verify: async () => databaseOnly((await import('./verify.ts')).verifyCommand()),
  move: async () => databaseOnly((await import('./move.ts')).moveCommand()),
  openapi: async () => (await import('./openapi.ts')).openapiCommand(),
  bench: async () => (await import('./bench.ts')).benchCommand(),
  completion: async (program) => (await import('./completion.ts')).completionCommand(program),
}
