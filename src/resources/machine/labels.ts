import { type Locale, locales } from '#core/locale.ts'
import type { Declaration } from '#resources/declaration.ts'

/** The names of a resource and its fields for people, in one language. */
export interface Labels {
  readonly one: string
  readonly many: string
  readonly about: string | undefined
  /** By the names of fields and actions. The key of a code of a field is like `kind.book`. */
  readonly fields: Readonly<Record<string, { readonly label: string; readonly about: string | undefined }>>
}

/** The plural in paths and programs. */
export const pluralOf = ({ name, plural = `${name}s` }: Pick<Declaration, 'name' | 'plural'>) => plural

/** Labels in every language: from the declaration, or else made from the names. */
export const labelsOf = (declaration: Declaration) => {
  const { name, fields, actions = {}, words = {} } = declaration
  return Object.fromEntries(
    locales.map((locale): [Locale, Labels] => {
      const given = words[locale] ?? {}
      const [one = asLabel(name), many = asLabel(pluralOf(declaration)), about] = [given[name] ?? []].flat()
      const names = new Set([
        `${name}Id`,
        ...Object.keys(fields),
        ...Object.keys(actions),
        ...['createdAt', 'lastModifiedAt'],
        ...Object.keys(given).filter((word) => word !== name),
      ])
      const idLabel = (field: string) => (locale === 'ja' && field === `${name}Id` ? `${one} ID` : undefined)
      const labels = [...names].map((field) => {
        const [
          label = commonLabels[locale][field] ?? idLabel(field) ?? asLabel(named(field, fields[field])),
          description,
        ] = [given[field] ?? []].flat()
        return [field, { label, about: description }] as const
      })
      return [locale, { one, many, about, fields: Object.fromEntries(labels) }]
    }),
  ) as Readonly<Record<Locale, Labels>>
}

/** Labels a reference by its resource: `memberId` becomes "Member". */
const named = (field: string, schema: object = {}) =>
  'reference' in schema ? field.replace(/(?<=.)Id$/, '') : field

/** Turns `lastModifiedAt` into "Last modified at". */
export const asLabel = (name: string) => capital(inSentence(name))

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Turns `lastModifiedAt` into "last modified at". */
export const inSentence = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export const withArticle = (name: string) => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${inSentence(name)}`

const commonLabels: Readonly<Record<Locale, Readonly<Record<string, string>>>> = {
  en: {},
  ja: { createdAt: '作成日時', lastModifiedAt: '更新日時' },
}
