import { formatUtc, xmlTextPattern } from '#core/formats.ts'
import { maxPageSize } from '#core/page.ts'
import { choice, flag, list, object, text, whole } from '#http/message/schema.ts'
import type { ApiContext } from './api-context.ts'
import type { Change } from './change.ts'

export const cloudEvent = (change: Change, { prefix, routes }: Pick<ApiContext, 'prefix' | 'routes'>) => {
  const { type, subject, version, changed, author, track } = change
  const noun = type.slice(0, type.indexOf('.'))
  const listRoute = routes.find((route) => route.list && route.shows.full.xml?.name === noun)
  return {
    specversion: '1.0',
    id: change.id,
    source: `${prefix}${listRoute?.path ?? `/${noun}`}/${subject}`,
    type,
    time: formatUtc(change.time),
    subject,
    sequence: String(change.number),
    data: { version, changed, by: author, track },
  }
}

/** The data of a change, besides the fields of every CloudEvent. */
const dataSchema = object('Details of the change.', {
  version: whole('The version of the record after the change. A deletion has a version of its own.', 1),
  changed: {
    type: 'array',
    maxItems: 512,
    description: 'The names of the changed fields.',
    xml: { wrapped: true },
    items: { type: 'string', pattern: '^[A-Za-z0-9.]+$', maxLength: 64, xml: { name: 'name' } },
  },
  by: text('The author: `administrator`, the id of a member, or the name of a client.', xmlTextPattern, 8192),
  track: text('The `X-Track` of the request.', xmlTextPattern, 64),
})

export const changeSchema = object(
  'One committed change, as a CloudEvent 1.0. It names fields and holds no values.',
  {
    specversion: choice('The version of CloudEvents.', ['1.0']),
    id: { type: 'string', format: 'uuid', maxLength: 36, description: 'Identifies the change.' },
    source: text('The path of the record.', '^/[^?#]+$', 256),
    type: { type: 'string', description: 'What was done.' },
    time: { type: 'string', format: 'date-time', maxLength: 29, description: 'When it was done.' },
    subject: { type: 'string', format: 'uuid', maxLength: 36, description: 'The identifier of the record.' },
    sequence: text('The number of the change. Numbers have no gaps.', '^[1-9][0-9]*$', 19),
    data: dataSchema,
  },
  { xml: 'change' },
)

export const changePageSchema = object(
  'Some changes, and the cursor to continue from.',
  {
    content: list('The changes, in the order in which they were committed.', changeSchema, maxPageSize),
    cursor: text('The cursor to continue from. Send it as `after`.', '^[A-Za-z0-9_-]+$', 1024),
    more: flag('Whether more changes may follow at once.'),
  },
  { xml: 'changes' },
)
