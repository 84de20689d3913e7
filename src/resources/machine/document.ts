import { type Fields, isNullable, type Schema } from '#core/schema.ts'
import type { OperationDocument, ResourceDocument } from '#http/openapi/resource-document.ts'
import type { Declaration, ShippedParts, StoredRecord } from '#resources/declaration.ts'
import { exampleHistory } from '#resources/examples.ts'
import { capital, inSentence, labelsOf, pluralOf, withArticle } from './labels.ts'
import { answerFields } from './storage.ts'

/** Makes the texts of the OpenAPI document about a resource from its declaration. */
export const documentOf = (declaration: Declaration, shipped: ShippedParts = {}): ResourceDocument => {
  const { name, fields, actions = {} } = declaration
  const plural = pluralOf(declaration)
  const { one: singularLabel, many: pluralLabel, about } = labelsOf(declaration).en
  const [Noun, Nouns] = [capital(name), capital(plural)]
  const example = exampleOf(declaration, shipped)
  const request = Object.fromEntries(
    Object.keys(fields)
      .filter((field) => !('always' in (fields[field] ?? {})))
      .map((field) => [field, example[field]]),
  )
  const [many, noun] = [inSentence(plural), withArticle(name)]
  const [firstField = ''] = Object.keys(fields)
  const answer = answerFields(declaration, shipped)
  const withSecret = shipped.secret ? { ...example, secret: shipped.secret.example } : example
  const item = `/${plural}/:${name}Id`
  const operations: Record<string, OperationDocument> = {
    [`GET /${plural}`]: {
      id: `list${Nouns}`,
      description: `All ${many} in order of creation, or one page of them if \`page\`, \`size\`, \`sort\` or \`cursor\` is given.`,
      answer: [example],
    },
    [`POST /${plural}`]: {
      id: `create${Noun}`,
      description: `Creates ${noun} and returns its address in \`Location\`.`,
      request,
      answer: withSecret,
    },
    [`GET ${item}`]: {
      id: `get${Noun}`,
      description: `One ${inSentence(name)}, with its \`ETag\`.`,
      answer: example,
    },
    ...(!shipped.storageFields && {
      [`GET ${item}/history`]: {
        id: `get${Noun}History`,
        description: `The ${inSentence(name)} after each of its changes, newest first. Also works after a deletion. The history is kept as long as the log of changes.`,
        answer: exampleHistory(name, Object.keys(fields), example),
      },
    }),
    [`PUT ${item}`]: {
      id: `update${Noun}`,
      description:
        'Replaces all fields. An omitted optional field becomes null. Send the `ETag` of a GET as `If-Match`, so that no change made by someone else is lost.',
      request,
      answer: example,
    },
    [`PATCH ${item}`]: {
      id: `patch${Noun}`,
      description:
        'Changes some fields with a merge patch (RFC 7396); the result is validated as in an update.',
      request: { [firstField]: example[firstField] },
      answer: example,
    },
    [`DELETE ${item}`]: { id: `delete${Noun}`, description: `Deletes ${noun} permanently.` },
  }
  if (shipped.bodylessPut)
    operations[`PUT ${item}`] = {
      id: shipped.bodylessPut.id,
      description: shipped.bodylessPut.description,
      answer: shipped.bodylessPut.does(example as StoredRecord),
    }
  if (!shipped.storageFields)
    operations[`POST ${item}/restore`] = {
      id: `restore${Noun}`,
      description: `Creates a deleted ${inSentence(name)} again from its history, with the same id, as its next version. The rules of a creation apply. Fails once the log of changes no longer has the record.`,
      answer: example,
    }
  if (shipped.secret)
    operations[`POST ${item}/secret`] = {
      id: `renew${Noun}Secret`,
      description: 'Makes a new secret, which is shown once. The former secret stays valid for 24 hours.',
      answer: withSecret,
    }
  for (const [action, { summary }] of Object.entries(actions))
    operations[`POST ${item}/${action}`] = {
      id: `${action}${Noun}`,
      description: `${summary.replace(/\.$/, '')}.`,
      answer: example,
    }
  for (const [methodAndPath, { summary: _, ...texts }] of Object.entries(shipped.document?.operations ?? {}))
    operations[methodAndPath] = { ...(operations[methodAndPath] ?? { id: '', description: '' }), ...texts }
  return {
    tag: capital(pluralLabel),
    description: shipped.document?.description ?? about ?? `${pluralLabel}.`,
    fields: {
      ...fieldTexts(declaration, answer),
      ...(shipped.secret && createdTexts(declaration, shipped.secret.description, answer)),
      [Noun]: about ?? `${singularLabel}.`,
      [`New${Noun}`]: `${singularLabel} to create.`,
      ...shipped.document?.fields,
    },
    operations,
    hasRules: declaration.rules !== undefined || Object.keys(actions).length > 0,
  }
}

/** The description of each field, by element and field name: from the words of the declaration, otherwise made from the schema. */
export const fieldTexts = (declaration: Declaration, fields: Fields): Readonly<Record<string, string>> => {
  const labels = labelsOf(declaration).en.fields
  return Object.fromEntries(
    Object.entries(fields).map(([field, schema]) => {
      const { label = field, about } = labels[field] ?? {}
      return [`${declaration.name}.${field}`, about ?? describeField(label, schema)]
    }),
  )
}

/** The descriptions for the element of a new record, which is shown once, with its secret. */
const createdTexts = (declaration: Declaration, secretAbout: string, answer: Fields) => {
  const element = `created${capital(declaration.name)}`
  const { one } = labelsOf(declaration).en
  return {
    ...Object.fromEntries(
      Object.entries(fieldTexts(declaration, answer)).map(([field, text]) => [
        field.replace(declaration.name, element),
        text,
      ]),
    ),
    [`${element}.secret`]: secretAbout,
    [capital(element)]: `${one} as it is shown once, with its secret.`,
  }
}

/** Describes a field by its label and the values that its schema allows. */
const describeField = (label: string, schema: Schema) => {
  const { minLength, maxLength, minimum, maximum, codeList, reference, unique, format, zone } = schema
  const limits = [
    ...(codeList === undefined ? [] : [`one of the code list ${codeList}`]),
    ...(reference === undefined ? [] : [`the id of a ${reference}`]),
    ...(maxLength === undefined ? [] : [`${minLength ?? 0} to ${maxLength} characters`]),
    ...(minimum === undefined
      ? []
      : [maximum === Number.MAX_SAFE_INTEGER ? `at least ${minimum}` : `${minimum} to ${maximum}`]),
    ...(format === 'date' ? ['a date'] : []),
    ...(zone === undefined ? [] : ['a time']),
    ...(unique ? ['no two records have the same'] : []),
    ...(isNullable(schema) ? ['may be null'] : []),
  ]
  return limits.length === 0 ? `${label}.` : `${label}: ${limits.join(', ')}.`
}

const exampleId = '019e6a3c-6c00-7000-8000-000000000001'
const exampleTime = '2026-11-21T06:45:00.123Z'

/** An example of a record. For a field without an example in the declaration, makes a value that fits the schema. */
export const exampleOf = (
  declaration: Declaration,
  shipped?: ShippedParts,
): Readonly<Record<string, unknown>> => {
  const { name } = declaration
  const answer = answerFields(declaration, shipped)
  return {
    [`${name}Id`]: exampleId,
    ...exampleValues(declaration),
    ...Object.fromEntries(
      Object.keys(answer)
        .filter((field) => field !== `${name}Id` && !(field in declaration.fields))
        .map((field) => [field, exampleValue(answer[field] ?? {}, field)]),
    ),
  }
}

export const exampleValues = (declaration: Declaration) => {
  const labels = labelsOf(declaration).en.fields
  return Object.fromEntries(
    Object.entries(declaration.fields).map(([field, schema]) => [
      field,
      exampleValue(schema, labels[field]?.label ?? field),
    ]),
  )
}

/** An example time. Fields in local time show the offset, those in UTC a `Z`. */
const exampleTimeFor = ({ zone }: Schema) =>
  zone === 'local' ? exampleTime.replace('Z', '+00:00') : exampleTime

const exampleValue = (schema: Schema, label: string): unknown => {
  const {
    example,
    codeList,
    'x-extensible-enum': codes = [],
    reference,
    format,
    zone,
    type,
    minimum = 0,
    past,
  } = schema
  if (example !== undefined) return example
  if (codeList !== undefined) return codes[0]
  if (reference !== undefined || format === 'uuid') return '019e6a3c-6c00-7000-8000-000000000002'
  if (zone !== undefined) return exampleTimeFor(schema)
  if (format === 'date') return past ? '1983-01-17' : '2026-12-24'
  if (format === 'idn-email') return 'john.smith@example.com'
  if (type?.includes('boolean')) return false
  if (type?.includes('integer')) return Math.max(minimum, 0)
  const { minLength = 0, maxLength = 64 } = schema
  return label.padEnd(minLength, '.').slice(0, maxLength)
}
