import type { Route } from '#http/routes.ts'
import { schemaName } from '#http/schema.ts'
import { capitalize, type Node } from './node.ts'
import type { SchemaBook } from './schemas.ts'

/** An item in each of its views. */
export const itemSchema = ({ shows }: Route, schemas: SchemaBook): Node => {
  const [full, ...others] = Object.entries(shows).map(([view, schema]) =>
    schemas.object(schema, 'shown', view === 'full' ? {} : { view }),
  )
  if (!full || others.length === 0) return full ?? {}
  const name = `${capitalize(schemaName(shows.full))}View`
  return schemas.named(name, {
    description: 'The item in the requested view.',
    anyOf: [full, ...others],
  })
}
