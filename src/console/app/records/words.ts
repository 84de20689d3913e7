import { locale } from '#console/app/state/preferences.ts'
import type { Locale } from '#core/locale.ts'

/** The words for the records of a kind within a sentence. */
export interface Noun {
  readonly one: string
  readonly many: string
  /** The Japanese word that counts them. */
  readonly counter?: string
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const en = ({ one, many }: Noun) => {
  const number = (n: number) => n.toLocaleString('en')
  const count = (n: number) => `${number(n)} ${n === 1 ? one : many}`
  return {
    subtitle: count,
    found: (n: number, text: string) => `${count(n)} with “${text}”`,
    add: `New ${one}`,
    search: `Search ${many}`,
    table: capital(many),
    emptyTitle: `No ${many} yet`,
    emptyText: 'Add the first one.',
    noHitsTitle: (text: string) => `Nothing found for “${text}”`,
    noHitsText: 'The search finds any part of a text. Case, width and accents make no difference.',
    noFits: { title: 'Nothing matches the filters', text: `Change them, or clear them to see all ${many}.` },
    ask: (n: number) => `Delete ${count(n)}?`,
    askOne: (name: string) => `Delete ${name}?`,
    pickAll: (n: number) => `Select all ${number(n)}`,
    newTitle: `New ${one}`,
    create: `Add ${one}`,
    created: (name: string) => `${name} is added`,
    editTitle: (name: string) => `Edit ${name}`,
    saved: (name: string) => `${name} is saved`,
    putBack: (name: string) => `${name} is as it was before`,
    notPutBack: (name: string) => `${name} was not changed back.`,
    savedWithTheirs: (name: string, fields: readonly string[]) =>
      `${name} is saved. Somebody else changed meanwhile: ${fields.join(', ')}`,
    previousOne: `Previous ${one}`,
    nextOne: `Next ${one}`,
    changedBeforeRemove: `Somebody else has changed this ${one} since it was shown to you. Look at it before you delete it.`,
    unansweredRemove: `No answer from the service. The ${one} may not have been deleted: delete it again.`,
    removed: (name: string) => `${name} is deleted`,
    restored: (name: string) => `${name} is restored`,
    failedRemove: (name: string) => `${name} was not deleted.`,
    mayNotAdd: `You may not add ${many}`,
    mayNotEdit: `You may not change this ${one}`,
    notFound: `There is no such ${one}`,
    unansweredAdd: `No answer from the service. The ${one} may have been added. Add it again unchanged: it will not be added twice.`,
    deleted: `Somebody has deleted this ${one}, so nothing was saved.`,
    gone: `This ${one} was deleted.`,
    addAgain: 'Add again as typed',
    addedAgain: (name: string) => `${name} is added again`,
    changedElsewhere: (fields: readonly string[]) =>
      `Somebody else has changed this ${one} meanwhile: ${fields.join(', ')}. If you save, both changes are merged.`,
  }
}

/** The texts of the pages of a kind of record. */
export type RecordWords = ReturnType<typeof en>

const ja = ({ one, many, counter = '件' }: Noun): RecordWords => {
  const count = (n: number) => `${n.toLocaleString('ja')} ${counter}`
  return {
    subtitle: count,
    found: (n, text) => `「${text}」を含む${many} ${count(n)}`,
    add: `${one}を登録`,
    search: `${many}を検索`,
    table: `${many}一覧`,
    emptyTitle: `${many}はまだありません`,
    emptyText: '最初の 1 件を登録してください。',
    noHitsTitle: (text) => `「${text}」に当てはまるものはありません`,
    noHitsText: '一部を入力すれば見つかります。大文字と小文字、全角と半角、アクセントは区別しません。',
    noFits: { title: '条件に合うものはありません', text: '条件を変えるか、絞り込みを解除してください。' },
    ask: (n) => `${count(n)}を削除しますか？`,
    askOne: (name) => `${name} を削除しますか？`,
    pickAll: (n) => `${count(n)}すべてを選択`,
    newTitle: `${one}の登録`,
    create: `${one}を登録`,
    created: (name) => `${name} を登録しました`,
    editTitle: (name) => `${name} の編集`,
    saved: (name) => `${name} を保存しました`,
    putBack: (name) => `${name} を元に戻しました`,
    notPutBack: (name) => `${name} は元に戻りませんでした。`,
    savedWithTheirs: (name, fields) =>
      `${name} を保存しました。その間にほかの人が変更した項目：${fields.join('、')}`,
    previousOne: `前の${one}`,
    nextOne: `次の${one}`,
    changedBeforeRemove: `表示した後に、ほかの人がこの${one}を変更しました。内容を確かめてから削除してください。`,
    unansweredRemove:
      'サービスから応答がありません。削除されていない可能性があります。もう一度削除してください。',
    removed: (name) => `${name} を削除しました`,
    restored: (name) => `${name} の削除を取り消しました`,
    failedRemove: (name) => `${name} は削除されませんでした。`,
    mayNotAdd: `${one}を登録する権限がありません`,
    mayNotEdit: `この${one}を変更する権限がありません`,
    notFound: `その${one}はありません`,
    unansweredAdd:
      'サービスから応答がありません。登録済みの可能性があります。このままもう一度登録しても、二重には登録されません。',
    deleted: `この${one}は削除されているため、保存できませんでした。`,
    gone: `この${one}は削除されました。`,
    addAgain: '入力した内容で登録し直す',
    addedAgain: (name) => `${name} を登録し直しました`,
    changedElsewhere: (fields) =>
      `ほかの人がこの${one}を変更しました: ${fields.join('、')}。保存すると、その変更と合わせて保存されます。`,
  }
}

const tables: Readonly<Record<Locale, (noun: Noun) => RecordWords>> = { en, ja }

export const recordWords = (noun: Noun): RecordWords => tables[locale.get()](noun)
