import type { Command } from 'commander'
import { backupCommand } from './backup.ts'
import { completionCommand } from './completion.ts'
import { configCommand } from './config.ts'
import { doctorCommand } from './doctor.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { memberCommand } from './member.ts'
import { moveCommand } from './move.ts'
import { openapiCommand } from './openapi.ts'
import { restoreCommand } from './restore.ts'
import { serveCommand } from './serve.ts'
import { todoCommand } from './todo.ts'
import { verifyCommand } from './verify.ts'

/** One line a command, in the order of the help. */
export const commands = (program: () => Command): readonly Command[] => [
  serveCommand(),
  configCommand(),
  doctorCommand(),
  memberCommand(),
  todoCommand(),
  importCommand(),
  exportCommand(),
  backupCommand(),
  restoreCommand(),
  verifyCommand(),
  moveCommand(),
  openapiCommand(),
  completionCommand(program),
]
