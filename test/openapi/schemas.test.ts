import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { document } from '../conform/document.ts'

/** The address of every object in the document, with the object. */
const objectsIn = (value: unknown, at = ''): (readonly [string, object])[] =>
  typeof value !== 'object' || value === null
    ? []
    : [[at, value], ...Object.entries(value).flatMap(([name, part]) => objectsIn(part, `${at}/${name}`))]

test('a schema that lists its values has no pattern, because client generators would write broken code', () => {
  const listed = objectsIn(document).filter(([, schema]) => 'enum' in schema)
  assert.ok(listed.length > 10)
  assert.deepEqual(
    listed.flatMap(([at, schema]) => ('pattern' in schema ? [at] : [])),
    [],
  )
})

test('every schema is valid by the rules of JSON Schema', () => {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, object>> }
  const ajv = new Ajv2020({ strict: false })
  for (const [name, schema] of Object.entries(schemas))
    assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`)
})
