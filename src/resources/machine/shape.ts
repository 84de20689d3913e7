import { locales } from '#core/locale.ts'
import { type Schema, startingValueOf } from '#core/schema.ts'
import type { Declaration, Right } from '#resources/declaration.ts'
import type { Rules } from '#resources/rule.ts'
import { isValid } from '#sql/records.ts'
import { isOfType } from './values.ts'

export type Refuse = (fault: string) => never

const allowedProperties: Readonly<Record<'resource' | 'extension', Readonly<Record<string, true>>>> = {
  resource: {
    name: true,
    plural: true,
    fields: true,
    access: true,
    rules: true,
    actions: true,
    words: true,
    migrations: true,
    headings: true,
  } satisfies Record<keyof Declaration, true>,
  extension: { name: true, fields: true, words: true },
}
const ruleNames: Readonly<Record<keyof Rules<object>, true>> = { create: true, update: true, delete: true }
const rights: Readonly<Record<Right, true>> = { read: true, create: true, update: true, delete: true }

/** Repeats checks of the compiler, because Node does not check types, and a declaration may be written in JavaScript. */
export const requireShape = (
  declaration: Declaration,
  kind: keyof typeof allowedProperties,
  refuse: Refuse,
) => {
  requireOneOf(Object.keys(declaration), allowedProperties[kind], (one) => `it has "${one}"`, refuse)
  requireActions(declaration, refuse)
  const { rules = {}, access = {}, words = {}, fields, headings = {} } = declaration
  const count = Object.keys(fields ?? {}).length
  if (count > maxFields) refuse(`it has ${count} fields, and a table has room for ${maxFields}`)
  requireOneOf(Object.keys(rules), ruleNames, (one) => `it has the rule "${one}"`, refuse)
  for (const [name, rule] of Object.entries(rules))
    if (typeof rule !== 'function') refuse(`its rule "${name}" is not a function`)
  requireOneOf(Object.keys(access), { member: true }, (one) => `its access names "${one}"`, refuse)
  if (!Array.isArray(access.member ?? [])) refuse("its access must look like { member: ['read'] }")
  requireOneOf(access.member ?? [], rights, (one) => `its access gives "${one}"`, refuse)
  const languages = Object.fromEntries(locales.map((locale) => [locale, true as const]))
  requireOneOf(Object.keys(words), languages, (one) => `its words name the language "${one}"`, refuse)
  for (const [field, heading] of Object.entries(headings))
    if (!Object.hasOwn(fields ?? {}, field) || typeof heading?.names !== 'string')
      refuse(`its headings must look like { field: { names: 'one, another' } }, but "${field}" does not`)
}

/** SQLite allows 2,000 columns, PostgreSQL 1,600, and a text needs a second one for searches. */
const maxFields = 500

const requireOneOf = (
  names: readonly string[],
  known: Readonly<Record<string, true>>,
  says: (name: string) => string,
  refuse: Refuse,
) => {
  const wrong = names.find((name) => !Object.hasOwn(known, name))
  if (wrong !== undefined) refuse(`${says(wrong)}, which is not one of ${Object.keys(known).join(', ')}`)
}

const requireActions = ({ actions = {} }: Declaration, refuse: Refuse) => {
  for (const [name, action] of Object.entries(actions))
    if (typeof action?.does !== 'function' || typeof action.summary !== 'string')
      refuse(
        `the action "${name}" must look like { summary: 'Return it', does: (record) => ({ ...record }) }`,
      )
}

/** Checks the arguments of the function that made a field, such as the limits of `Text(1, 60)`. */
export const requireKindArguments = (what: string, schema: Schema, refuse: Refuse) => {
  const { 'x-extensible-enum': codes, onDelete, reference } = schema
  const numbers = (['minLength', 'maxLength', 'minimum', 'maximum'] as const).filter((one) => one in schema)
  if (numbers.some((one) => !Number.isSafeInteger(schema[one])))
    refuse(`${what} needs whole numbers as limits, as in Text(1, 60) or Whole(0)`)
  if ((schema.minLength ?? 0) < 0) refuse(`${what} has a minimum length below 0`)
  if (codes?.some((code) => typeof code !== 'string' || code === ''))
    refuse(`${what} has a code that is not a text, or is empty`)
  if (reference !== undefined && typeof reference !== 'string')
    refuse(`${what} must refer to a resource by its name, as in Reference('member')`)
  if (onDelete !== undefined && onDelete !== 'refuse' && onDelete !== 'cascade')
    refuse(`${what} has the onDelete "${onDelete}", which is not one of refuse, cascade`)
  const start = startingValueOf(schema)
  if (start !== undefined && !(isOfType(schema, start) && isValid(schema, start)))
    refuse(`${what} cannot start with ${JSON.stringify(start)}, which it would refuse`)
}
