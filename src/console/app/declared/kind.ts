import type { ComponentChildren } from 'preact'
import type { Done } from '#client/index.ts'
import { callSignedIn, type ReadOptions, readSignedIn, walk, walkSize } from '#console/app/api/call.ts'
import { type DeclaredRecord, labelOf, labelsNow, recordsOf, titleFields } from '#console/app/api/declared.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { loadNamesInTitles } from '#console/app/api/names.ts'
import { describedFields, filtersBy } from '#console/app/records/described.ts'
import type { Field, Kind, KindWords, Section, VersionedItem } from '#console/app/records/kind.ts'
import { titleText } from '#console/app/records/names.ts'
import type { ListQuery } from '#console/app/records/query.ts'
import type { OnDone } from '#console/app/records/record-page.tsx'
import { recordWords } from '#console/app/records/words.ts'
import { locale } from '#console/app/state/preferences.ts'
import { wordsNow } from '#console/app/words/index.ts'
import type { DescribedResource } from '#console/description.ts'
import { isText } from '#core/display.ts'

/** The properties of a component on the page of a record. */
export interface RecordViewProps {
  readonly kind: Kind
  readonly shown: VersionedItem
  readonly onDone: OnDone
}

type RecordView = (props: RecordViewProps) => ComponentChildren

/** The kind of a resource, and what the resource adds to the pages that are derived from its declaration. */
export interface ResourcePages {
  readonly kind: Kind
  /** The form for a new record, if it differs from the form for editing, and the body to send. */
  readonly sections?: () => readonly Section[]
  readonly bodyOf?: (values: Readonly<Record<string, unknown>>) => object
  readonly initialValues?: object
  /** Shows the secret from the answer to a creation. */
  readonly secret?: (props: { kind: Kind; record: object; onClose: () => void }) => ComponentChildren
  readonly actions?: RecordView
  readonly below?: RecordView
}

/** The longest text that the service searches for. */
const maxSearchLength = 256

/** The fields that a shipped resource shows differently from its declaration, or in addition to it. */
interface DisplayOverrides {
  readonly shownAs?: (field: Field) => Partial<Field>
  /** Further fields of the first section. */
  readonly furtherFields?: () => readonly Field[]
  /** The fields that only the service writes. They stand after the id. */
  readonly serviceFields?: () => readonly Field[]
  readonly texts?: () => Pick<KindWords, 'emptyText' | 'removeText'>
}

/** A field of this name with its declared label. */
export const labelledField = (resource: DescribedResource, name: string, kind: Field['kind']): Field => ({
  name,
  kind,
  label: labelOf(resource, name),
})

/** A declared resource, for the pages that every kind of record has. */
export const declaredKind = (
  resource: DescribedResource,
  { shownAs, furtherFields, serviceFields, texts }: DisplayOverrides = {},
): Kind<DeclaredRecord> => {
  const { name, plural, access } = resource
  const id = `${name}Id`
  const records = recordsOf(resource)
  const labels = () => labelsNow(resource)
  const fields = () => describedFields(resource).map((field) => ({ ...field, ...shownAs?.(field) }))
  const labelled = (name: string, kind: Field['kind']) => labelledField(resource, name, kind)
  const times = () => [labelled('createdAt', 'time'), labelled('lastModifiedAt', 'time')]
  const titleField = titleFields(resource).find(isText)
  const withTitleNames = async (answer: Promise<Done<DeclaredRecord>>, options?: Partial<ReadOptions>) => {
    const found = await answer
    await loadNamesInTitles(resource, [found.value], options)
    return found
  }
  return {
    name,
    plural,
    icon: 'file',
    searchParameter: 'q',
    maxSearchLength: titleField ? maxSearchLength : 0,
    defaultSort: `${id},desc`,
    words: () => ({
      ...recordWords({ one: lowerFirst(labels().one), many: lowerFirst(labels().many) }),
      title: labels().many,
      ...texts?.(),
    }),
    idOf: (record) => String(record[id]),
    titleOf: (record) => titleText(resource, record),
    form: () => [{ title: labels().one, fields: fields() }],
    record: () => [
      { title: labels().one, fields: [...fields(), ...(furtherFields?.() ?? [])] },
      {
        title: wordsNow().members.sections.record,
        fields: [labelled(id, 'id'), ...(serviceFields ?? times)()],
      },
    ],
    columns: () => [
      ...(titleField ? [] : [{ ...labelled(id, 'id'), label: labels().one }]),
      ...fields().toSorted(
        (one, other) => Number(other.name === titleField?.name) - Number(one.name === titleField?.name),
      ),
      ...times(),
      ...(titleField ? [labelled(id, 'id')] : []),
    ],
    filters: () => filtersBy(fields()),
    may: (right) => !seesOnlyNames.get() || access.includes(right === 'filter' ? 'read' : right),
    async find({ page, size, ...query }, options, known) {
      const pageQuery = { ...searchOf(query), page, size }
      const found = await readSignedIn((init) => records.page(pageQuery, { ...init, known }), options, known)
      await loadNamesInTitles(resource, found.value.content, options)
      return found
    },
    async *readAll(query, signal) {
      const pages = (cursor?: string) =>
        records.pages({ ...searchOf(query), size: walkSize, cursor }, { signal })
      for await (const page of walk(pages)) {
        await loadNamesInTitles(resource, page)
        yield page
      }
    },
    read: (id, options = {}, previous) =>
      withTitleNames(
        readSignedIn((init) => records.get(previous ?? id, init), options, previous),
        options,
      ),
    update: (known, values) => withTitleNames(callSignedIn(() => records.update(known, values))),
    remove: (known) => callSignedIn(() => records.remove(known)),
    restore: (id) => withTitleNames(callSignedIn(() => records.restore(id))),
  }
}

/** A label as it is written inside a sentence. */
const lowerFirst = (text: string) =>
  locale.get() === 'en' ? text.charAt(0).toLowerCase() + text.slice(1) : text

const searchOf = ({ text, sort, filters }: Pick<ListQuery, 'text' | 'sort' | 'filters'>) => ({
  ...filters,
  sort: sort as `${string},asc`,
  ...(text && { q: text }),
})
