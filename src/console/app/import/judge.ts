import { codePoints, isDate, isEmail, isXmlText } from '#core/formats.ts'
import { NewMember } from '#resources/member/schema.ts'
import { TodoChange } from '#resources/todo/declaration.ts'
import type { Body, Detail, Kind } from './record.ts'

/** The part of our schemas that a page can judge by. */
interface Rules {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Rules>>
  readonly required?: readonly string[]
  readonly readOnly?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: string
  readonly past?: boolean
  readonly plain?: boolean
  readonly 'x-extensible-enum'?: readonly string[]
}

/** The service's own schemas. What is created is open, but a file may say of a todo that it is finished. */
const rules: Readonly<Record<Kind, Rules>> = { members: NewMember, todos: TodoChange }

/** What the service would refuse of a record: one detail for each field at fault, in the order of the schema. */
export const detailsOf = (kind: Kind, body: Body) => refused(body, rules[kind])

const refused = (value: Body, { properties = {}, required = [] }: Rules, above = ''): readonly Detail[] =>
  Object.entries(properties).flatMap(([name, field]) => {
    const inner = value[name]
    const target = above + name
    if (field.readOnly) return []
    if (field.properties) return refused(typeof inner === 'object' ? inner : {}, field, `${target}.`)
    if (inner === undefined) return required.includes(name) ? [{ code: 'NotNull', message: '', target }] : []
    const code = faultOf(inner, field)
    return code ? [{ code, message: sizeOf(field), target }] : []
  })

const faultOf = (value: unknown, field: Rules): Detail['code'] | undefined => {
  if (![field.type].flat().includes(typeof value)) return 'WrongType'
  if (typeof value !== 'string') return undefined
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, 'x-extensible-enum': codes } = field
  const length = codePoints(value)
  if (length < minLength || length > maxLength) return 'Size'
  if (field.plain && !isXmlText(value)) return 'Pattern'
  if (field.format === 'idn-email' && !isEmail(value)) return 'Email'
  if (field.format === 'date' && !isDate(value)) return 'WrongType'
  // Only the service knows its time zone: a day that is over somewhere is left to it.
  if (field.past && value > new Date().toISOString().slice(0, 10)) return 'Past'
  return codes && !codes.includes(value) ? 'ExistInCodeList' : undefined
}

const sizeOf = ({ minLength = 0, maxLength }: Rules) =>
  maxLength === undefined ? '' : `between ${minLength} and ${maxLength}`
