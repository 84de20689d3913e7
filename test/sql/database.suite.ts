import type { TestContext } from 'node:test'
import type { Engine } from '#sql/engine.ts'
import { forgets } from './suite/forgetting.ts'
import { tellsListeners } from './suite/listeners.ts'
import { lists } from './suite/listings.ts'
import { isMigrated } from './suite/migrations.ts'
import { keepsPromise } from './suite/promise.ts'
import { streams } from './suite/streams.ts'
import { gathersUnits } from './suite/units.ts'
import { writesAllOrNothing } from './suite/writes.ts'

interface SuiteOptions {
  /** The reason if the suite cannot run here. */
  readonly skip?: string | false
}

/** The promises of every engine. `open` returns a new database without tables, and closes it when the test ends. */
export const databaseSuite = (
  name: string,
  open: (t: TestContext) => Promise<Engine>,
  { skip = false }: SuiteOptions = {},
) => {
  const engine = { name, open, skip }
  for (const suite of [
    keepsPromise,
    writesAllOrNothing,
    forgets,
    streams,
    lists,
    gathersUnits,
    tellsListeners,
    isMigrated,
  ])
    suite(engine)
}
