import { hash } from 'node:crypto'
import { type Form, mediaTypes } from '#http/message/representation/form.ts'
import type { Presentation, Writer } from '#http/message/representation/writer.ts'
import { cacheControl, type HeaderList, vary } from '#http/wire/headers.ts'
import { choiceParameter, flagParameter, type Parameter, type Query } from './query.ts'
import type { Route, Views } from './routes.ts'
import type { Visit } from './visit.ts'

/** How a caller is shown what it asked for. */
export interface Showing extends Presentation {
  /** Distinguishes the representations of one version. */
  readonly variant: string
}

/** A type and not an interface, so that it is assignable to `Filter`. */
type ShowingParameters = {
  readonly view?: Parameter<string>
  readonly links?: Parameter<boolean>
  readonly erase?: Parameter<boolean>
}

/** A single view leaves no choice, and where nothing is shown there are no parameters at all. */
export const showingParameters = ({ method, shows, erasure }: Route): ShowingParameters => {
  if (method === 'DELETE') return erasure === undefined ? {} : { erase }
  const views = Object.keys(shows)
  const links = flagParameter('Whether each item includes its links.')
  return views.length > 1 ? { view: choiceParameter('Which fields to show.', views), links } : { links }
}

const erase = flagParameter(
  'Whether the values of its history and the kept answers about it are deleted as well. Its changes stay.',
)

/** The policy row that decides who may make this request. */
export const operationOf = ({ operation, erasure }: Route, query: Query) =>
  erasure !== undefined && query.get('erase')?.some((value) => value !== 'false') ? erasure : operation

interface RequestedView {
  readonly view?: string | undefined
  readonly links?: boolean | undefined
}

/** Whether this caller is shown less than there is. */
export const isReduced = ({ admission }: Pick<Visit, 'admission'>, views: Views) =>
  admission.sees === 'reduced' && views.reduced !== undefined

/** Other settings or another schema make another text of the same version, so its tag must differ (decision 0037). */
const editionOf = (views: Views, settings: readonly unknown[]) =>
  hash('sha256', JSON.stringify([views, settings]), 'base64url').slice(0, editionCharacters)

const editionCharacters = 5

interface Addressing {
  readonly linkedAs?: string | undefined
  /** An alias shows each caller something else at the same address, so the tag names the caller. */
  readonly self?: string | undefined
}

/** Finds the requested view, or the most that this caller may see. */
export const showings = (views: Views, { settings }: Pick<Writer, 'settings'>) => {
  const edition = editionOf(views, settings)
  const plain: Readonly<Record<Form, Record<string, Showing>>> = { json: {}, xml: {}, problem: {} }
  const showing = (form: Form, name: string, { linkedAs, self }: Addressing = {}): Showing => ({
    form,
    schema: views[name] ?? views.full,
    variant: `${form === 'xml' ? 'x' : 'j'}${linkedAs ? 'l' : ''}${name === 'full' ? '' : `-${name}`}.${edition}${self ? `.${self}` : ''}`,
    linkedAs,
  })
  return (
    visit: Pick<Visit, 'admission' | 'form' | 'url' | 'self'>,
    { view, links }: RequestedView,
  ): Showing => {
    const { form, self } = visit
    const name = isReduced(visit, views) ? 'reduced' : (view ?? 'full')
    if (links || self) return showing(form, name, { linkedAs: links ? visit.url() : undefined, self })
    plain[form][name] ??= showing(form, name)
    return plain[form][name]
  }
}

export const validatorFields = (tag: string | undefined): HeaderList =>
  tag
    ? ['ETag', tag, 'Cache-Control', cacheControl, 'Vary', vary]
    : ['Cache-Control', cacheControl, 'Vary', vary]

export const contentType = ({ form }: Showing): readonly string[] => contentTypes[form]

export const contentTypes: Readonly<Record<Form, readonly string[]>> = {
  json: ['Content-Type', mediaTypes.json],
  xml: ['Content-Type', mediaTypes.xml],
  problem: ['Content-Type', mediaTypes.problem],
}
