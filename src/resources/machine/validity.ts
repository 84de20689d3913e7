import { locales } from '#core/locale.ts'
import { Added, type Fields, isNullable, type Schema, startingValueOf } from '#core/schema.ts'
import type { Declaration, Extension } from '#resources/declaration.ts'
import { toSnakeCase } from '#sql/table.ts'
import { pluralOf } from './labels.ts'
import { type Refuse, requireKindArguments, requireShape } from './shape.ts'

export class DeclarationError extends Error {
  constructor(name: string, fault: string) {
    super(`The declaration of "${name}" cannot be used: ${fault}.`)
    this.name = 'DeclarationError'
  }
}

/** Names that are valid in SQL, XML, JSON and paths. */
const nameShape = /^[a-z][A-Za-z0-9]*$/

/** PostgreSQL truncates names after 63 bytes, and the name of an index contains the names of the table and the column. */
const maxNameLength = 28

const nameSet = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

/** The names of the service's paths and tables. */
const reservedNames = nameSet(`
  todo member key webhook change token batch batches import invitation me openapi resource
  credential migration secret administrator progress lease view views page error item`)

/** The commands of the command line. A resource `loan` adds the command `rollcall loan`, so it must not have one of these names. */
const reservedCommands = nameSet(`
  serve init config doctor health changes export migrate backup restore verify move completion help`)

/** The fields and parameters that every resource has. */
const reservedFields = nameSet(`
  links version checksum createdAt lastModifiedAt page size sort cursor view fields erase q created modified track
  createdFrom createdTo modifiedFrom modifiedTo`)

/** An action with one of these names would hide a path, a method of the client, or a command. */
const reservedActions = nameSet(`
  history restore imports
  list page each pages get create update patch remove then toJSON
  add show change`)

/** The shipped resources that can be extended. */
const extendable = new Set(['member', 'todo'])

/** Throws a `DeclarationError` that names the field and the reason. */
export const requireValid = (declaration: Declaration, kind: 'resource' | 'extension' = 'resource') => {
  const { name, fields, actions = {} } = declaration
  const plural = pluralOf(declaration)
  const refuse = (fault: string): never => {
    throw new DeclarationError(String(name), fault)
  }
  if (typeof name !== 'string' || !nameShape.test(name))
    refuse('its name must be letters and digits, beginning with a small letter')
  requireShape(declaration, kind, refuse)
  if (kind === 'extension' && !extendable.has(name))
    refuse('only "member" and "todo" can be extended; declare a resource that refers to this one instead')
  if (kind === 'resource') {
    if (reservedNames.has(name)) refuse('the service itself uses this name')
    if (reservedCommands.has(name)) refuse('the command line already has a command of this name')
    if (!nameShape.test(plural))
      refuse('its plural must be letters and digits, beginning with a small letter')
    if (plural === name) refuse('its plural must differ from its name')
    if ([...reservedNames].some((one) => `${one}s` === plural || one === plural))
      refuse(`the service itself has the path /${plural}`)
    requireName(name, 'its name', refuse)
    if (Object.keys(fields ?? {}).length === 0) refuse('it has no fields')
  }
  for (const [field, schema] of Object.entries(fields ?? {}))
    requireField(name, field, schema, { kind, refuse })
  requireFilters(fields ?? {}, refuse)
  for (const action of Object.keys(actions)) {
    requireName(action, `the action "${action}"`, refuse)
    if (reservedActions.has(action))
      refuse(
        `the action "${action}" has the name of a path, a client method or a command that every resource already has`,
      )
  }
  requireWords(declaration, refuse)
}

const requireName = (name: string, what: string, refuse: Refuse) => {
  if (!nameShape.test(name)) refuse(`${what} must be letters and digits, beginning with a small letter`)
  if (/^xml/i.test(name)) refuse(`${what} begins with "xml", which XML reserves`)
  if (toSnakeCase(name).length > maxNameLength)
    refuse(`${what} is longer than ${maxNameLength} characters as the name of a table or column`)
  if (name in Object.prototype) refuse(`${what} is a name that every JavaScript object has`)
}

interface FieldContext {
  readonly kind: 'resource' | 'extension'
  readonly refuse: Refuse
}

const requireField = (resource: string, field: string, schema: Schema, { kind, refuse }: FieldContext) => {
  const what = `the field "${field}"`
  requireName(field, what, refuse)
  if (reservedFields.has(field) || field === `${resource}Id`)
    refuse(`${what} has the name of a field or parameter that every resource already has`)
  if (typeof schema !== 'object' || schema === null || schema.type === undefined)
    refuse(`${what} has no kind: give it one, such as Text(1, 60)`)
  requireKindArguments(what, schema, refuse)
  const { codeList, 'x-extensible-enum': codes, minLength = 0, maxLength = 1, minimum, maximum } = schema
  const hasStartingValue = startingValueOf(schema) !== undefined
  if (codeList !== undefined) {
    if (!codes || codes.length === 0) refuse(`${what} has a code list without codes`)
    else if (new Set(codes).size < codes.length) refuse(`${what} has a code list with a code twice`)
  }
  if (minLength > maxLength) refuse(`${what} has a minimum length above its maximum`)
  if (minimum !== undefined && maximum !== undefined && minimum > maximum)
    refuse(`${what} has a minimum above its maximum`)
  if (schema.unique && schema.type === 'boolean') refuse(`${what} is a Flag, which cannot be Unique`)
  if (schema.unique && hasStartingValue)
    refuse(`${what} is Unique, so it cannot have a starting value, which would be the same in two records`)
  if (schema.reference === resource && !isNullable(schema))
    refuse(`${what} must be Nullable, because the first record has no other record to refer to`)
  if (kind === 'extension' && resource === 'member' && schema.onDelete === 'cascade')
    refuse(`${what} cannot cascade: the deletion of another record must not delete a member`)
  if (kind === 'extension' && !isNullable(schema) && !hasStartingValue)
    refuse(`${what} must be Nullable or Starting, because there are records without it`)
}

/** The filters of a nullable date `due` are `dueFrom`, `dueTo` and `dueIsNull`, so no field may have one of these names. */
const requireFilters = (fields: Fields, refuse: Refuse) => {
  for (const [field, schema] of Object.entries(fields)) {
    const isRange = schema.format === 'date' || schema.zone !== undefined
    const filters = [
      ...(isRange ? [`${field}From`, `${field}To`] : []),
      ...(isNullable(schema) ? [`${field}IsNull`] : []),
    ]
    for (const filter of filters)
      if (filter in fields) refuse(`the field "${filter}" has the name of a filter by "${field}"`)
  }
}

const requireWords = ({ name, fields, words = {}, actions = {} }: Declaration, refuse: Refuse) => {
  const known = new Set([
    name,
    ...Object.keys(fields ?? {}),
    ...Object.entries(fields ?? {}).flatMap(([field, { 'x-extensible-enum': codes = [] }]) =>
      codes.map((code) => `${field}.${code}`),
    ),
    ...Object.keys(actions),
    'createdAt',
    'lastModifiedAt',
    `${name}Id`,
  ])
  for (const [locale, texts] of Object.entries(words))
    for (const [word, label] of Object.entries(texts ?? {})) {
      if (!known.has(word))
        refuse(
          `its words for "${locale}" include "${word}", which is not one of its fields, actions or codes`,
        )
      const labels = [label].flat()
      if (labels[0] === '' || labels.some((text) => typeof text !== 'string'))
        refuse(`its word "${word}" must be a text, or a list of texts, and the first must not be empty`)
    }
}

/** Adds the fields of extensions to the declaration of a shipped resource. Refuses fields with the name of another field or filter. */
export const applyExtensions = <D extends Pick<Declaration, 'name' | 'fields' | 'words'>>(
  declaration: D,
  extensions: readonly Extension[],
  existingNames: Iterable<string>,
) => {
  const { name } = declaration
  const taken = new Set(existingNames)
  const fields: Record<string, Schema> = {}
  for (const [field, schema] of extensions.flatMap((one) => Object.entries(one.fields))) {
    for (const other of [field, `${field}From`, `${field}To`, `${field}IsNull`])
      if (taken.has(other))
        throw new DeclarationError(name, `"${field}" is the name of another of its fields or filters`)
    taken.add(field)
    fields[field] = Added(schema)
  }
  const wordsOf = (all: readonly Pick<Declaration, 'words'>[]) =>
    Object.fromEntries(
      locales.map((locale) => [locale, Object.assign({}, ...all.map((one) => one.words?.[locale]))]),
    )
  return {
    declaration: {
      ...declaration,
      fields: { ...declaration.fields, ...fields },
      words: wordsOf([declaration, ...extensions]),
    } as D,
    extension: { name, fields, words: wordsOf(extensions) },
  }
}

/** Checks that every reference leads to a resource. */
export const requireReferences = (name: string, fields: Fields, known: ReadonlySet<string>) => {
  for (const [field, { reference }] of Object.entries(fields))
    if (reference !== undefined && !known.has(reference))
      throw new DeclarationError(name, `the field "${field}" refers to "${reference}", which is not declared`)
}
