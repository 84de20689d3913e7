import { mediaTypes } from './form.ts'
import { cacheControl, type HeaderList, vary } from './headers.ts'
import { choiceParameter, flagParameter } from './query.ts'
import type { Views } from './routes.ts'
import type { Visit } from './visit.ts'
import type { Look } from './writer.ts'

/** How a caller is shown what it asked for. */
export interface Showing extends Look {
  /** Tells the representations of one version apart. */
  readonly variant: string
}

export const showingParameters = (views: Views) => ({
  view: choiceParameter('Which fields are shown.', Object.keys(views)),
  links: flagParameter('Whether items carry their links.'),
})

export interface Asked {
  readonly view: string | undefined
  readonly links: boolean | undefined
}

/** Whether this caller is shown less than there is. */
export const isCut = ({ admission }: Visit, views: Views) =>
  admission.sees === 'reduced' && views.reduced !== undefined

/** The view that was asked for, or the most that this caller may see. */
export const showing = (visit: Visit, views: Views, { view, links }: Asked): Showing => {
  const { form, url } = visit
  const name = isCut(visit, views) ? 'reduced' : (view ?? 'full')
  return {
    form,
    schema: views[name] ?? views.full,
    variant: `${form === 'xml' ? 'x' : 'j'}${name === 'full' ? '' : name.charAt(0)}${links ? 'l' : ''}`,
    linkedAs: links ? url() : undefined,
  }
}

export const validatorFields = (tag: string | undefined): HeaderList => [
  ...(tag ? ['ETag', tag] : []),
  'Cache-Control',
  cacheControl,
  'Vary',
  vary,
]

export const contentType = ({ form }: Showing): HeaderList => ['Content-Type', mediaTypes[form]]
