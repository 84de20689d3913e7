import { xmlTextPattern } from '#core/formats.ts'
import { codingForText, textAnswer } from '#http/message/representation/compression.ts'
import { type JsonSchema, list, object, text } from '#http/message/schema.ts'
import type { Answer } from '#http/wire/answer.ts'
import { header } from '#http/wire/exchange.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { Change } from './change.ts'
import { ChangeShown, cloudEvent } from './cloud-event.ts'
import { sliceBody, sliceFields } from './envelope.ts'
import { listRequest, pagingParameters } from './paging.ts'
import { contentTypes, validatorFields } from './presentation.ts'
import { readParameters } from './query.ts'
import { readItem } from './reading.ts'
import type { Route } from './routes.ts'
import type { Rules } from './rules.ts'

const { size, cursor } = pagingParameters([])

/** A history is only read by cursor. */
export const historyParameters = { size, cursor }

/** Answers reads of a record's history, newest change first. Without changes, reads the record, so that the room refuses an unknown id. */
export const historyAnswers = (route: Route, rules: Rules) => {
  const { changes, cursors, writer } = rules
  const schema = versionSchema(route)
  const isOfRoom = ({ change }: { change: Change }) =>
    change.type.startsWith(`${route.shows.full.xml?.name}.`)
  return async (request: AdmittedRequest): Promise<Answer> => {
    const { exchange, format, params } = request
    const given = readParameters(request, historyParameters)
    const paging = { size: given.size, cursor: given.cursor ?? '', page: undefined, sort: undefined }
    const binding = JSON.stringify([route.path, params])
    const asked = listRequest(paging, binding, rules)
    if (asked.kind !== 'slice') throw new TypeError('a history is read by cursor')
    const [id = ''] = Object.values(params)
    const { after, size } = asked.slice
    const found = (await changes.historyOf(id, after && Number(after[0]), size)).filter(isOfRoom)
    if (!after && found.length === 0) await readItem(route, request)
    const content = found.slice(0, size).map(({ change, value }) => ({
      change: cloudEvent(change, rules),
      value,
      altered: (value as WithAltered | null)?.altered,
      version: change.version,
    }))
    const next = found.length > size ? [found[size - 1]?.change.number ?? 0] : undefined
    const query = new URLSearchParams({ size: String(size) })
    const { fields, text: body } = sliceBody({ content, next }, query, {
      format,
      schema,
      writer,
      size,
      url: request.url(),
      names: '',
      root: '',
      variant: '',
      token: (position) => cursors.make(position, binding),
    })
    const headers = [...validatorFields(undefined), ...contentTypes[format], ...fields]
    return textAnswer(headers, body, codingForText(header(exchange, 'accept-encoding'), body))
  }
}

export const historyShown = (route: Route): JsonSchema => ({
  xml: { name: 'page' },
  properties: { content: { type: 'array', items: versionSchema(route) }, ...sliceFields },
})

/** Altered values that are stored beside the record. */
interface WithAltered {
  readonly altered?: readonly object[]
}

export const alteredSchema = list(
  'Altered values that the record does not show, such as a role. Absent if there are none.',
  object(
    'A field, and its value before and after the change.',
    {
      field: text('The name of the field.', '^[A-Za-z.]+$', 64),
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
  properties: { change: ChangeShown, value: shows.full, altered: alteredSchema },
})
