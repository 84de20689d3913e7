import { xmlTextPattern } from '#core/formats.ts'
import { codingForText, textAnswer } from '#http/message/representation/compression.ts'
import { type JsonSchema, list, object, text } from '#http/message/schema.ts'
import type { Answer } from '#http/wire/answer.ts'
import { header } from '#http/wire/exchange.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { ApiContext } from './api-context.ts'
import { changeSchema, cloudEvent } from './cloud-event.ts'
import { sliceBody, sliceFields } from './envelope.ts'
import { listRequest, pagingParameters } from './paging.ts'
import { contentTypes, validatorFields } from './presentation.ts'
import { readParameters } from './query.ts'
import { readItem } from './reading.ts'
import type { Route } from './routes.ts'

const { size, cursor } = pagingParameters([])

/** A history has no page numbers: it is read only by cursor. */
export const historyParameters = { size, cursor }

/** Answers reads of a record's history, newest change first. If it is empty, reads the record, so that an unknown id is refused. */
export const historyAnswers = (route: Route, context: ApiContext) => {
  const { changes, cursors, writer } = context
  const schema = versionSchema(route)
  const resource = String(route.shows.full.xml?.name)
  return async (request: AdmittedRequest): Promise<Answer> => {
    const { exchange, format, params } = request
    const values = readParameters(request, historyParameters)
    const paging = { size: values.size, cursor: values.cursor ?? '', page: undefined, sort: undefined }
    const binding = JSON.stringify([route.path, params])
    const requested = listRequest(paging, binding, context)
    if (requested.kind !== 'slice') throw new TypeError('a history is read by cursor')
    const [id = ''] = Object.values(params)
    const { after, size } = requested.slice
    const versions = await changes.historyOf(resource, id, { before: after && Number(after[0]), size })
    if (!after && versions.length === 0) await readItem(route, request)
    const content = versions.slice(0, size).map(({ change, value }) => ({
      change: cloudEvent(change, context),
      value,
      altered: (value as AlteredValues | null)?.altered,
      version: change.version,
    }))
    const next = versions.length > size ? [versions[size - 1]?.change.number ?? 0] : undefined
    const query = new URLSearchParams({ size: String(size) })
    const { fields, text: body } = sliceBody({ content, next }, query, {
      format,
      schema,
      writer,
      size,
      url: request.url(),
      idProperty: '',
      root: '',
      variant: '',
      makeToken: (position) => cursors.make(position, binding),
    })
    const headers = [...validatorFields(undefined), ...contentTypes[format], ...fields]
    return textAnswer(headers, body, codingForText(header(exchange, 'accept-encoding'), body))
  }
}

export const historyPageSchema = (route: Route): JsonSchema => ({
  xml: { name: 'page' },
  properties: { content: { type: 'array', items: versionSchema(route) }, ...sliceFields },
})

/** Values that a change altered and the record does not show. */
interface AlteredValues {
  readonly altered?: readonly object[]
}

export const alteredSchema = list(
  'Altered values that the record does not show, such as a role. Absent if there are none.',
  object(
    'A field, and its value before and after the change.',
    {
      field: text('The name of the field.', '^[A-Za-z0-9.]+$', 64),
      from: text('The value before the change.', xmlTextPattern, 64),
      to: text('The value after the change.', xmlTextPattern, 64),
    },
    { xml: 'altered' },
  ),
  8,
)

/** A change, and the record after it. */
const versionSchema = ({ shows }: Route): JsonSchema => ({
  type: 'object',
  xml: { name: 'version' },
  properties: { change: changeSchema, value: shows.full, altered: alteredSchema },
})
