import { join } from 'node:path'
import { databaseFiles } from './plain.ts'
import { record, untilExit } from './record.ts'
import { type Losses, replay } from './replay.ts'

export interface EngineRun {
  readonly directory: string
  readonly writes: number
  readonly cuts: number
  readonly onCut?: (done: number) => void
}

/** Power losses of the engine itself, with writes that share commits, and checkpoints in between. */
export const engineLosses = async ({ directory, writes, cuts, onCut }: EngineRun): Promise<Losses> => {
  const file = join(directory, 'engine.db')
  const traceFile = join(directory, 'engine.trace')
  await untilExit(record(traceFile, [join(import.meta.dirname, 'engine-writer.ts'), file, String(writes)]))
  return replay({ traceFile, isOurs: databaseFiles(file), cuts, seed: 1, ...(onCut && { onCut }) })
}
