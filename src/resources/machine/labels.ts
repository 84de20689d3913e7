import { type Locale, locales } from '#core/locale.ts'
import type { Declaration } from '#resources/declaration.ts'

/** The names that people read for a resource and its fields, in one language. */
export interface Labels {
  readonly one: string
  readonly many: string
  readonly about: string | undefined
  /** By the name of the field or action. The code `book` of the field `kind` has the key `kind.book`. */
  readonly fields: Readonly<Record<string, { readonly label: string; readonly about: string | undefined }>>
}

/** The plural that paths and programs use. */
export const pluralOf = ({ name, plural = `${name}s` }: Pick<Declaration, 'name' | 'plural'>) => plural

/** Labels in every language: from the words of the declaration, otherwise made from the names. */
export const labelsOf = (declaration: Declaration) => {
  const { name, fields, actions = {}, words = {} } = declaration
  return Object.fromEntries(
    locales.map((locale): [Locale, Labels] => {
      const declaredWords = words[locale] ?? {}
      const [one = asLabel(name), many = asLabel(pluralOf(declaration)), about] = [
        declaredWords[name] ?? [],
      ].flat()
      const names = new Set([
        `${name}Id`,
        ...Object.keys(fields),
        ...Object.keys(actions),
        ...['createdAt', 'lastModifiedAt'],
        ...Object.keys(declaredWords).filter((word) => word !== name),
      ])
      const idLabel = (field: string) => (locale === 'ja' && field === `${name}Id` ? `${one} ID` : undefined)
      const labels = [...names].map((field) => {
        const [
          label = commonLabels[locale][field] ??
            idLabel(field) ??
            asLabel(withoutIdSuffix(field, fields[field])),
          description,
        ] = [declaredWords[field] ?? []].flat()
        return [field, { label, about: description }] as const
      })
      return [locale, { one, many, about, fields: Object.fromEntries(labels) }]
    }),
  ) as Readonly<Record<Locale, Labels>>
}

/** A reference is labelled like the resource: `memberId` becomes "Member". */
const withoutIdSuffix = (field: string, schema: object = {}) =>
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
