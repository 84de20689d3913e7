import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Clock } from '#core/clock.ts'
import { currentDate, isDate, isDistinct, isEmail, isXmlText, toPrintableName } from '#core/formats.ts'
import { isId } from '#core/id.ts'
import type { MessageName } from '#core/messages.ts'
import { memoizeByObject, once } from '#core/once.ts'
import {
  bodyInvalid,
  bodyUnreadable,
  type CodedMessage,
  conflict,
  type Detail,
  notInCodeList,
  Problem,
} from '#core/problem.ts'
import { startingValueOf } from '#core/schema.ts'
import type { JsonSchema } from '#http/message/schema.ts'

/** Reads the item as callers see it now. Called only if a request repeats fields that it cannot change. */
type ReadCurrent = () => Promise<unknown>

/** Reads the fields that a request may write. Refuses an invalid body with one detail per field, in the order of the schema. */
export type BodyReader = (body: unknown, readCurrent?: ReadCurrent) => Fields | Promise<Fields>

export const bodyReaders = (clock: Clock, timeZone: string) => {
  const ajv = once(() => makeAjv(clock, timeZone))
  // Compiled on first use: a start that compiles every schema takes twice as long.
  return memoizeByObject(
    (schema: JsonSchema): BodyReader =>
      bodyReader(
        once(() => ajv().compile(schema)),
        schema,
      ),
  )
}

const bodyReader = (validator: () => ValidateFunction, schema: JsonSchema): BodyReader => {
  const fieldOrder = once(() => fieldPaths(schema))
  // `asShown` names the request that changes the field. Other requests may only repeat its value.
  const repeatOnlyFields = Object.entries(schema.properties ?? {}).filter(([, field]) => field.asShown)
  const read = (body: unknown, details: readonly CodedMessage[]) => {
    if (details.length > 0) throw bodyInvalid(onePerField(details, fieldOrder()))
    return writableValue(schema, body) as Fields
  }
  return (body, readCurrent) => {
    const isValid = validator()
    const errors = isValid(body) ? noErrors : (isValid.errors ?? noErrors)
    if (errors.some(isAboutType)) throw unreadable(errors.filter(isAboutType))
    const details = errors.map(detailOf)
    if (!readCurrent || repeatOnlyFields.length === 0) return read(body, details)
    return compareRepeated(body as Fields, repeatOnlyFields, readCurrent).then((repeated) => {
      if (repeated.isStale && errors.length === 0) throw conflict()
      return read(body, [...details, ...repeated.details])
    })
  }
}

const noErrors: readonly ErrorObject[] = []

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
  for (const uncheckedFormat of ['date-time', 'password']) ajv.addFormat(uncheckedFormat, true)
  ajv.addFormat('date', isDate)
  // Accepts one form of ids only: a database may rewrite other forms, and its row would differ from the request.
  ajv.addFormat('uuid', isId)
  // Leaves a text with forbidden characters to `plain`, which gives a better reason.
  ajv.addFormat('idn-email', (text) => !isXmlText(text) || isEmail(text))
  ajv.addVocabulary(annotationKeywords)
  ajv.addKeyword({
    keyword: 'codeList',
    type: 'string',
    compile: (_, parent) => (value: string) => codesOf(parent).includes(value),
  })
  ajv.addKeyword({
    keyword: 'past',
    type: 'string',
    compile: () => (date: string) => !isDate(date) || date < currentDate(clock.now(), timeZone),
  })
  ajv.addKeyword({ keyword: 'distinct', type: 'string', compile: () => isDistinct })
  ajv.addKeyword({ keyword: 'plain', type: 'string', compile: () => (text: string) => isXmlText(text) })
  return ajv
}

/** Our keywords that constrain no value. */
const annotationKeywords =
  `xml zone asShown changedAt eitherOf assignedByService isHash x-extensible-enum reference onDelete unique
  starting always added absentBecomes example`.split(/\s+/)

const codesOf = (schema: Readonly<Record<string, unknown>>) =>
  schema['x-extensible-enum'] as readonly string[]

/** True if an error makes the whole body unreadable, rather than one of its values invalid. */
const isAboutType = ({ keyword, data, params, instancePath }: ErrorObject) =>
  keyword === 'additionalProperties' ||
  (keyword === 'type' && (data !== null || instancePath === '')) ||
  (keyword === 'format' && isTypeFormat(params.format))

const isTypeFormat = (format: unknown) => format === 'date' || format === 'uuid'

const unreadable = (errors: readonly ErrorObject[]) => {
  if (errors.some(({ instancePath, keyword }) => instancePath === '' && keyword === 'type')) {
    return bodyUnreadable({ code: 'NotAnObject' })
  }
  return new Problem('bodyUnreadable', { details: errors.map(typeDetail) })
}

const typeDetail = (error: ErrorObject): Detail => {
  if (error.keyword === 'additionalProperties') {
    return {
      code: 'UnknownField',
      target: join(pathOf(error), toPrintableName(error.params.additionalProperty)),
    }
  }
  const { format, type } = error.parentSchema as JsonSchema
  const expected = format !== undefined && isTypeFormat(format) ? format : [type].flat().join(' or ')
  const wording = typeWordings[expected]
  return { code: 'WrongType', target: pathOf(error), ...(wording ? { wording } : { args: { expected } }) }
}

/** The types with a message of their own. Declared resources may have other types. */
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

const compareRepeated = async (
  body: Fields,
  repeated: readonly (readonly [string, JsonSchema])[],
  readCurrent: ReadCurrent,
): Promise<{ details: Detail[]; isStale: boolean }> => {
  const sent = repeated.filter(([name]) => body[name] !== undefined && body[name] !== null)
  if (sent.length === 0) return { details: [], isStale: false }
  const shown = (await readCurrent()) as Fields
  const different = sent.filter(([name, field]) => !isSame(field, body[name], shown[name]))
  const details = different.map(
    ([target, { asShown = '' }]): Detail => ({
      code: 'Null',
      wording: 'Null.asShown',
      target,
      args: { change: asShown },
    }),
  )
  return { details, isStale: different.some(([name, field]) => isOutdated(field, body[name], shown[name])) }
}

/** True if the caller repeats a value that is out of date, because somebody has changed it since. */
const isOutdated = ({ changedAt = '' }: JsonSchema, sent: unknown, shown: unknown) => {
  const [before, now] = [sent, shown].map((value) => (value as Fields)[changedAt])
  return typeof before === 'string' && typeof now === 'string' && isInstant.test(before) && before < now
}

const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Compares only the fields that a request may write, in any order. */
const isSame = (schema: JsonSchema, one: unknown, other: unknown) => {
  const names = writableFields(schema).map(([name]) => name)
  return JSON.stringify(one, names) === JSON.stringify(other, names)
}

/** If a field fails twice, only the first reason is reported. */
const onePerField = (details: readonly CodedMessage[], order: readonly string[]) => {
  const first = new Map<string, CodedMessage>()
  for (const detail of details) {
    const target = detail.target ?? ''
    if (!first.has(target)) first.set(target, detail)
  }
  // An element of a list has the position of its list.
  const positionOf = ({ target = '' }: CodedMessage) => order.indexOf(target.replace(/\.\d.*$/, ''))
  return [...first.values()].sort((a, b) => positionOf(a) - positionOf(b))
}

const fieldPaths = (schema: JsonSchema, parentPath = ''): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = join(parentPath, name)
    return [path, ...fieldPaths(field, path)]
  })

/** The fields that a request may write. An absent field becomes null or, as `absentBecomes` says, its starting value, or is left out. */
const writableValue = (schema: JsonSchema, value: unknown): unknown => {
  if (!schema.properties || value === null || schema.asShown) return value
  const fields: Record<string, unknown> = {}
  for (const [name, field] of writableFields(schema)) {
    const sent = (value as Fields)[name]
    const starting = startingValueOf(field)
    if (sent !== undefined) fields[name] = writableValue(field, sent)
    else if (starting === undefined || schema.absentBecomes === undefined)
      fields[name] = writableValue(field, null)
    else if (schema.absentBecomes === 'startingValue') fields[name] = starting
  }
  return fields
}

const writableFields = memoizeByObject(({ properties = {} }: JsonSchema) =>
  Object.entries(properties).filter(([, field]) => !field.readOnly),
)
