import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { isDate, isEmail } from '#core/formats.ts'

export type Node = Readonly<Record<string, unknown>>

export interface Described {
  readonly paths: Readonly<Record<string, Node>>
  readonly components: { readonly schemas: Readonly<Record<string, Node>> }
}

const committed = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
) as Described

/** The committed document, which another test keeps consistent with the routes, and the documents that were added. */
export let document = committed

/** The node that a reference points to, or the node itself. */
export const resolve = (node: Node): Node => {
  if (typeof node.$ref !== 'string') return node
  const steps = node.$ref.slice(2).split('/')
  const found = steps.reduce<unknown>((at, step) => (at as Node)[unescaped(step)], document)
  return resolve(found as Node)
}

const unescaped = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~')

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Another test validates the document itself, so that not every process must compile the schema of schemas. */
const validatorOf = (document: Described) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false })
  for (const unchecked of ['int32', 'int64', 'password']) ajv.addFormat(unchecked, true)
  ajv.addFormat('date', isDate)
  ajv.addFormat('idn-email', isEmail)
  ajv.addFormat('uuid', uuid)
  ajv.addFormat('date-time', (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text)))
  ajv.addFormat('uri', (text) => URL.canParse(text))
  ajv.addFormat('uri-reference', (text) => URL.canParse(text, 'http://localhost'))
  ajv.addSchema(document, 'document')
  return ajv
}

const judgeOf = (document: Described) => ({
  document,
  ajv: validatorOf(document),
  known: new Map<object | string, ValidateFunction>(),
})

const own = judgeOf(committed)
let judge = own

/** The validators of services with more resources. They are cached, because compiling their schemas takes long. */
const learned = new Map<string, typeof judge>()

/** Adds the document of a service with more resources. */
export const learn = ({ paths, components }: Described) => {
  const schemas = { ...document.components.schemas, ...components.schemas }
  const whole = {
    ...committed,
    paths: { ...document.paths, ...paths },
    components: { ...committed.components, schemas },
  }
  turn(learned.getOrInsertComputed(JSON.stringify(whole), () => judgeOf(whole)))
}

/** Forgets what was added. */
export const forget = () => turn(own)

const turn = (to: typeof judge) => {
  judge = to
  document = to.document
}

/** How a value violates a schema of the document; undefined if it fits. */
export const misfits = (value: unknown, schema: Node): string | undefined => {
  const { ajv, known } = judge
  // Many responses have the same schema.
  const key = typeof schema.$ref === 'string' && Object.keys(schema).length === 1 ? schema.$ref : schema
  const fits = known.get(key) ?? ajv.compile(absolute(schema) as Node)
  known.set(key, fits)
  return fits(value) ? undefined : ajv.errorsText(fits.errors, { dataVar: 'body' })
}

/** Makes the references in a part of the document refer to the whole. */
const absolute = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(absolute)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === '$ref' ? `document${String(value)}` : absolute(value),
    ]),
  )
}
