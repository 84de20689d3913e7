import { hash } from 'node:crypto'
import { memoize } from '#core/memoize.ts'
import { notOneOf, parametersInvalid } from '#core/problem.ts'
import { editionCharacters } from '#http/message/conditional.ts'
import { type Format, mediaTypes } from '#http/message/representation/format.ts'
import type { Presentation, Writer } from '#http/message/representation/writer.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { cacheControlValue, type HeaderList, varyValue } from '#http/wire/headers.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import { choiceParameter, flagParameter, type Parameter, type Query, readOnce } from './query.ts'
import type { Route, Views } from './routes.ts'

export interface ItemPresentation extends Presentation {
  /** Distinguishes the representations of one version. */
  readonly variant: string
}

/** A type and not an interface, so that it is assignable to `Filter`. */
type PresentationParameters = {
  readonly view?: Parameter<string>
  readonly links?: Parameter<boolean>
  readonly erase?: Parameter<boolean>
  readonly fields?: Parameter<readonly string[]>
}

/** The query parameters that decide how items are shown. There is no `view` if there is only one view. */
export const presentationParameters = (route: Route): PresentationParameters => {
  const { method, shows, erasureOperation } = route
  if (method === 'DELETE') return erasureOperation === undefined ? {} : { erase: eraseParameter }
  const views = Object.keys(shows)
  const links = flagParameter('Whether each item includes its links.')
  const fields = idOf(shows.full) === undefined ? {} : { fields: fieldsParameter(shows.full) }
  return {
    ...(views.length > 1 && { view: choiceParameter('Which fields to show.', views) }),
    links,
    ...fields,
  }
}

/** The field with the id of an item. Undefined if the item has no path of its own. */
const idOf = ({ properties = {} }: JsonSchema) =>
  Object.keys(properties).find((name) => properties[name]?.readOnly && properties[name].format === 'uuid')

const fieldsParameter = ({ properties = {} }: JsonSchema): Parameter<readonly string[]> => ({
  schema: { type: 'string', pattern: '^[A-Za-z0-9]+(?:,[A-Za-z0-9]+)*$', maxLength: 8192 },
  description: `Shows only these fields of the view, separated by commas, and the id. The answer then lacks the others, also those that its schema requires. Fields: ${Object.keys(properties).join(', ')}.`,
  read: readOnce((text, target) =>
    text === '' ? { refusal: { code: 'NotEmpty', target } } : { value: text.split(',') },
  ),
})

const eraseParameter = flagParameter(
  'Whether the values of its history and the kept answers about it are deleted as well. Its changes stay.',
)

/** The row of the policy that decides who may make this request. */
export const operationOf = ({ operation, erasureOperation = operation }: Route, query: Query) =>
  query.get('erase')?.some((value) => value !== 'false') ? erasureOperation : operation

interface RequestedView {
  readonly view?: string | undefined
  readonly links?: boolean | undefined
  readonly fields?: readonly string[] | undefined
}

export const isReduced = ({ admission }: Pick<AdmittedRequest, 'admission'>, views: Views) =>
  admission.view === 'reduced' && views.reduced !== undefined

/** A short hash of settings and schemas. If one of them changes, the same version has another text and needs another tag (decision 0037). */
const editionOf = (views: Views, settings: readonly unknown[]) =>
  hash('sha256', JSON.stringify([views, settings]), 'base64url').slice(0, editionCharacters)

interface NamedView {
  readonly name: string
  readonly schema: JsonSchema
}

/** A view with only some fields. Its name ends with one bit per field, four to a letter, so that each selection has its own tag. */
const selectFields = ({ name, schema }: NamedView, fields: readonly string[]): NamedView => {
  const all = Object.entries(schema.properties ?? {})
  const names = all.map(([field]) => field)
  if (!fields.every((field) => names.includes(field))) throw parametersInvalid([notOneOf('fields', names)])
  const isSelected = (field: string) => field === idOf(schema) || fields.includes(field)
  const bits = BigInt(`0b${names.map((field) => Number(isSelected(field))).join('')}`)
  const letters = [...bits.toString(16)].map((digit) => 'abcdefghijklmnop'[Number.parseInt(digit, 16)])
  const properties = Object.fromEntries(all.filter(([field]) => isSelected(field)))
  return { name: `${name}Only${letters.join('')}`, schema: { ...schema, properties } }
}

interface ItemUrl {
  readonly selfUrl?: string | undefined
  /** The caller's id, if the path is an alias. Each caller sees another item at that URL, so the tag names the caller. */
  readonly aliasedId?: string | undefined
}

/** Finds the presentation of a request: the requested view, or the reduced one if the caller may see no more, and the requested fields. */
export const presenter = (views: Views, { settings }: Pick<Writer, 'settings'>) => {
  const edition = editionOf(views, settings)
  const presentations: Readonly<Record<Format, Record<string, ItemPresentation>>> = {
    json: {},
    xml: {},
    problem: {},
  }
  const presentationOf = (
    format: Format,
    { name, schema }: NamedView,
    { selfUrl, aliasedId }: ItemUrl = {},
  ): ItemPresentation => ({
    format,
    schema,
    variant: `${format === 'xml' ? 'x' : 'j'}${selfUrl ? 'l' : ''}${name === 'full' ? '' : `-${name}`}.${edition}${aliasedId ? `.${aliasedId}` : ''}`,
    selfUrl,
    hasSelectedFields: schema !== (views[name] ?? views.full),
  })
  // Memoized, because a new schema for each request would need a new writer.
  const viewWithFields = memoize((_: string, view: NamedView, fields: readonly string[]) =>
    selectFields(view, fields),
  )
  return (
    request: Pick<AdmittedRequest, 'admission' | 'format' | 'url' | 'aliasedId'>,
    { view, links, fields }: RequestedView,
  ): ItemPresentation => {
    const { format, aliasedId } = request
    const name = isReduced(request, views) ? 'reduced' : (view ?? 'full')
    const wholeView = { name, schema: views[name] ?? views.full }
    const shownView = fields ? viewWithFields(`${name} ${fields}`, wholeView, fields) : wholeView
    if (links || aliasedId || fields)
      return presentationOf(format, shownView, { selfUrl: links ? request.url() : undefined, aliasedId })
    presentations[format][name] ??= presentationOf(format, shownView)
    return presentations[format][name]
  }
}

export const validatorFields = (tag: string | undefined, isSecret = false): HeaderList => {
  const caching = ['Cache-Control', isSecret ? 'no-store' : cacheControlValue, 'Vary', varyValue]
  return tag ? ['ETag', tag, ...caching] : caching
}

export const contentTypes: Readonly<Record<Format, readonly string[]>> = {
  json: ['Content-Type', mediaTypes.json],
  xml: ['Content-Type', mediaTypes.xml],
  problem: ['Content-Type', mediaTypes.problem],
}
