import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Clock } from '#core/clock.ts'
import { isDate, isDistinct, isEmail, isXmlText, printable, today } from '#core/formats.ts'
import { isId } from '#core/id.ts'
import type { MessageName } from '#core/messages.ts'
import { once, onceFor } from '#core/once.ts'
import {
  bodyInvalid,
  bodyUnreadable,
  conflict,
  type Detail,
  notInCodeList,
  Problem,
  type ResolvedMessage,
} from '#core/problem.ts'
import { startingOf } from '#core/schema.ts'
import type { JsonSchema } from '#http/message/schema.ts'

/** Reads the item as it is shown now. Called only if a request repeats some of it. */
type ReadCurrent = () => Promise<unknown>

/** Reads the fields that a request may write, or refuses the body, with one detail per failing field in the schema's order. */
export type BodyReader = (body: unknown, readCurrent?: ReadCurrent) => Fields | Promise<Fields>

export const bodyReaders = (clock: Clock, timeZone: string) => {
  const ajv = once(() => makeAjv(clock, timeZone))
  // Compiled on first use: a start that compiles every schema takes twice as long.
  return onceFor(
    (schema: JsonSchema): BodyReader =>
      bodyReader(
        once(() => ajv().compile(schema)),
        schema,
      ),
  )
}

const bodyReader = (validator: () => ValidateFunction, schema: JsonSchema): BodyReader => {
  const order = once(() => fieldPaths(schema))
  const repeated = Object.entries(schema.properties ?? {}).filter(([, field]) => field.asShown)
  const read = (body: unknown, details: readonly ResolvedMessage[]) => {
    if (details.length > 0) throw bodyInvalid(onePerField(details, order()))
    return written(schema, body) as Fields
  }
  return (body, readCurrent) => {
    const isValid = validator()
    const errors = isValid(body) ? none : (isValid.errors ?? none)
    if (errors.some(isAboutForm)) throw unreadable(errors.filter(isAboutForm))
    const details = errors.map(detailOf)
    if (!readCurrent || repeated.length === 0) return read(body, details)
    return differences(body as Fields, repeated, readCurrent).then(({ more, isStale }) => {
      if (isStale && errors.length === 0) throw conflict()
      return read(body, [...details, ...more])
    })
  }
}

const none: readonly ErrorObject[] = []

type Fields = Readonly<Record<string, unknown>>

/** Validates against our own schemas. Nothing is coerced, filled in or removed. */
const makeAjv = (clock: Clock, timeZone: string) => {
  const ajv = new Ajv({
    meta: false,
    validateSchema: false,
    allErrors: true,
    verbose: true,
    strictTypes: false,
    validateFormats: true,
  })
  for (const shownOnly of ['date-time', 'password']) ajv.addFormat(shownOnly, true)
  ajv.addFormat('date', isDate)
  // Ids have one form only. A database may write another form in its own way, and the row would differ from the request.
  ajv.addFormat('uuid', isId)
  // `plain` refuses a text with forbidden characters, with a better reason.
  ajv.addFormat('idn-email', (text) => !isXmlText(text) || isEmail(text))
  ajv.addVocabulary(otherKeywords)
  ajv.addKeyword({
    keyword: 'codeList',
    type: 'string',
    compile: (_, parent) => (value: string) => codesOf(parent).includes(value),
  })
  ajv.addKeyword({
    keyword: 'past',
    type: 'string',
    compile: () => (date: string) => !isDate(date) || date < today(clock.now(), timeZone),
  })
  ajv.addKeyword({ keyword: 'distinct', type: 'string', compile: () => isDistinct })
  ajv.addKeyword({ keyword: 'plain', type: 'string', compile: () => (text: string) => isXmlText(text) })
  return ajv
}

/** Our keywords that constrain no value. */
const otherKeywords =
  `xml zone asShown changedAt eitherOf assigned isHash x-extensible-enum reference onDelete unique
  starting always added absentBecomes example`.split(/\s+/)

const codesOf = (schema: Readonly<Record<string, unknown>>) =>
  schema['x-extensible-enum'] as readonly string[]

/** Whether an error makes the whole body unreadable, rather than one of its values invalid. */
const isAboutForm = ({ keyword, data, params, instancePath }: ErrorObject) =>
  keyword === 'additionalProperties' ||
  (keyword === 'type' && (data !== null || instancePath === '')) ||
  (keyword === 'format' && isForm(params.format))

const isForm = (format: unknown) => format === 'date' || format === 'uuid'

const unreadable = (errors: readonly ErrorObject[]) => {
  if (errors.some(({ instancePath, keyword }) => instancePath === '' && keyword === 'type')) {
    return bodyUnreadable({ code: 'NotAnObject' })
  }
  return new Problem('bodyUnreadable', { details: errors.map(formDetail) })
}

const formDetail = (error: ErrorObject): Detail => {
  if (error.keyword === 'additionalProperties') {
    return { code: 'UnknownField', target: join(pathOf(error), printable(error.params.additionalProperty)) }
  }
  const { format, type } = error.parentSchema as JsonSchema
  const expected = format !== undefined && isForm(format) ? format : [type].flat().join(' or ')
  const wording = typeWordings[expected]
  return { code: 'WrongType', target: pathOf(error), ...(wording ? { wording } : { args: { expected } }) }
}

/** Our own types have messages of their own. Declared resources may have other types. */
const typeWordings: Readonly<Record<string, MessageName>> = {
  string: 'WrongType.string',
  'string or null': 'WrongType.stringOrNull',
  boolean: 'WrongType.boolean',
  'boolean or null': 'WrongType.booleanOrNull',
  object: 'WrongType.object',
  'object or null': 'WrongType.objectOrNull',
  date: 'WrongType.date',
  integer: 'WrongType.whole',
  'integer or null': 'WrongType.wholeOrNull',
  uuid: 'WrongType.id',
}

const pathOf = ({ instancePath }: ErrorObject) => instancePath.slice(1).replaceAll('/', '.')

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

const detailOf = (error: ErrorObject): Detail => {
  const { keyword, params, parentSchema } = error
  if (keyword === 'required') return { code: 'NotNull', target: join(pathOf(error), params.missingProperty) }
  const target = pathOf(error)
  if (keyword === 'type') return { code: 'NotNull', target }
  if (keyword === 'minLength' || keyword === 'maxLength') {
    const { minLength: min = 0, maxLength: max } = parentSchema as { minLength?: number; maxLength: number }
    return { code: 'Size', target, args: { min, max } }
  }
  if (keyword === 'minItems' || keyword === 'maxItems') {
    const { minItems: min, maxItems: max } = parentSchema as { minItems: number; maxItems: number }
    return { code: 'Size', target, args: { min, max } }
  }
  if (keyword === 'codeList')
    return notInCodeList(target, String(error.schema), codesOf(error.parentSchema ?? {}))
  if (keyword === 'uniqueItems') return { code: 'Pattern', wording: 'Pattern.twice', target }
  if (keyword === 'past') return { code: 'Past', target }
  if (keyword === 'minimum') return { code: 'Min', target, args: { min: params.limit } }
  if (keyword === 'maximum') return { code: 'Max', target, args: { max: params.limit } }
  if (keyword === 'format') return { code: 'Email', target }
  return { code: 'Pattern', target }
}

const differences = async (
  body: Fields,
  repeated: readonly (readonly [string, JsonSchema])[],
  readCurrent: ReadCurrent,
): Promise<{ more: Detail[]; isStale: boolean }> => {
  const given = repeated.filter(([name]) => body[name] !== undefined && body[name] !== null)
  if (given.length === 0) return { more: [], isStale: false }
  const shown = (await readCurrent()) as Fields
  const different = given.filter(([name, field]) => !isSame(field, body[name], shown[name]))
  const more = different.map(
    ([target, { asShown = '' }]): Detail => ({
      code: 'Null',
      wording: 'Null.asShown',
      target,
      args: { change: asShown },
    }),
  )
  return { more, isStale: different.some(([name, field]) => isEarlier(field, body[name], shown[name])) }
}

/** Whether the caller repeats a value that was shown before somebody changed it. */
const isEarlier = ({ changedAt = '' }: JsonSchema, given: unknown, shown: unknown) => {
  const [before, now] = [given, shown].map((one) => (one as Fields)[changedAt])
  return typeof before === 'string' && typeof now === 'string' && isInstant.test(before) && before < now
}

const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The order of the fields does not count, nor do ignored ones. */
const isSame = (schema: JsonSchema, one: unknown, other: unknown) => {
  const names = writable(schema).map(([name]) => name)
  return JSON.stringify(one, names) === JSON.stringify(other, names)
}

/** If a field fails twice, only the first reason is reported. */
const onePerField = (details: readonly ResolvedMessage[], order: readonly string[]) => {
  const first = new Map<string, ResolvedMessage>()
  for (const detail of details) {
    const target = detail.target ?? ''
    if (!first.has(target)) first.set(target, detail)
  }
  // An entry of a list stands where its list does.
  const place = ({ target = '' }: ResolvedMessage) => order.indexOf(target.replace(/\.\d.*$/, ''))
  return [...first.values()].sort((a, b) => place(a) - place(b))
}

const fieldPaths = (schema: JsonSchema, parentPath = ''): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = join(parentPath, name)
    return [path, ...fieldPaths(field, path)]
  })

/** The fields that a request may write, without read-only ones. An absent one is null, unless its starting value or what is stored counts. */
const written = (schema: JsonSchema, value: unknown): unknown => {
  if (!schema.properties || value === null || schema.asShown) return value
  const fields: Record<string, unknown> = {}
  for (const [name, field] of writable(schema)) {
    const given = (value as Fields)[name]
    const starting = startingOf(field)
    if (given !== undefined) fields[name] = written(field, given)
    else if (starting === undefined || schema.absentBecomes === undefined) fields[name] = written(field, null)
    else if (schema.absentBecomes === 'startingValue') fields[name] = starting
  }
  return fields
}

const writable = onceFor(({ properties = {} }: JsonSchema) =>
  Object.entries(properties).filter(([, field]) => !field.readOnly),
)
