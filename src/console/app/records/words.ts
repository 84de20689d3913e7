import { count, number, type TextTable, textsNow } from '#console/app/words/texts.ts'

/** The nouns for records of a kind, as they stand within a sentence. */
export interface Noun {
  readonly one: string
  readonly many: string
  /** The Japanese counter word for the records. */
  readonly counter?: string
}

/** The texts of the pages of a kind of record. */
export const recordWords = (noun: Noun) => textsNow(tableOf(noun))

export type RecordWords = ReturnType<typeof recordWords>

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const tableOf = ({ one, many, counter = '件' }: Noun) => {
  const english = (n: number) => count(n, one, many)
  const japanese = (n: number) => `${number(n)} ${counter}`
  return {
    subtitle: (n: number) => [english(n), japanese(n)],
    found: (n: number, text: string) => `${english(n)} with “${text}”
      「${text}」を含む${many} ${japanese(n)}`,
    add: [`New ${one}`, `${one}を登録`],
    search: [`Search ${many}`, `${many}を検索`],
    table: [capital(many), `${many}一覧`],
    emptyTitle: [`No ${many} yet`, `${many}はまだありません`],
    emptyText: ['Add the first one.', '最初の 1 件を登録してください。'],
    noHitsTitle: (text: string) => [`Nothing found for “${text}”`, `「${text}」に当てはまるものはありません`],
    noHitsText: `The search finds any part of a text. Case, width and accents make no difference.
      一部を入力すれば見つかります。大文字と小文字、全角と半角、アクセントは区別しません。`,
    noMatches: {
      title: ['Nothing matches the filters', '条件に合うものはありません'],
      text: `Change them, or clear them to see all ${many}.
        条件を変えるか、絞り込みを解除してください。`,
    },
    ask: (n: number) => [`Delete ${english(n)}?`, `${japanese(n)}を削除しますか？`],
    askOne: (name: string) => [`Delete ${name}?`, `${name} を削除しますか？`],
    selectAll: (n: number) => [`Select all ${number(n)}`, `${japanese(n)}すべてを選択`],
    newTitle: [`New ${one}`, `${one}の登録`],
    create: [`Add ${one}`, `${one}を登録`],
    created: (name: string) => [`${name} is added`, `${name} を登録しました`],
    editTitle: (name: string) => [`Edit ${name}`, `${name} の編集`],
    saved: (name: string) => [`${name} is saved`, `${name} を保存しました`],
    putBack: (name: string) => [`${name} is as it was before`, `${name} を元に戻しました`],
    notPutBack: (name: string) => [`${name} was not changed back.`, `${name} は元に戻りませんでした。`],
    savedWithTheirs: (name: string, fields: readonly string[]) => `
      ${name} is saved. Somebody else changed meanwhile: ${fields.join(', ')}
      ${name} を保存しました。その間にほかの人が変更した項目：${fields.join('、')}`,
    previousOne: [`Previous ${one}`, `前の${one}`],
    nextOne: [`Next ${one}`, `次の${one}`],
    changedBeforeRemove: `
      Somebody else has changed this ${one} since it was shown to you. Look at it before you delete it.
      表示した後に、ほかの人がこの${one}を変更しました。内容を確かめてから削除してください。`,
    unansweredRemove: `No answer from the service. The ${one} may not have been deleted: delete it again.
      サービスから応答がありません。削除されていない可能性があります。もう一度削除してください。`,
    removed: (name: string) => [`${name} is deleted`, `${name} を削除しました`],
    restored: (name: string) => [`${name} is restored`, `${name} の削除を取り消しました`],
    failedRemove: (name: string) => [`${name} was not deleted.`, `${name} は削除されませんでした。`],
    mayNotAdd: [`You may not add ${many}`, `${one}を登録する権限がありません`],
    mayNotEdit: [`You may not change this ${one}`, `この${one}を変更する権限がありません`],
    notFound: [`There is no such ${one}`, `その${one}はありません`],
    unansweredAdd: `
      No answer from the service. The ${one} may have been added. Add it again unchanged: it will not be added twice.
      サービスから応答がありません。登録済みの可能性があります。このままもう一度登録しても、二重には登録されません。`,
    deleted: `Somebody has deleted this ${one}, so nothing was saved.
      この${one}は削除されているため、保存できませんでした。`,
    gone: [`This ${one} was deleted.`, `この${one}は削除されました。`],
    addAgain: ['Add again as typed', '入力した内容で登録し直す'],
    addedAgain: (name: string) => [`${name} is added again`, `${name} を登録し直しました`],
    changedElsewhere: (fields: readonly string[]) => `
      Somebody else has changed this ${one} meanwhile: ${fields.join(', ')}. If you save, both changes are merged.
      ほかの人がこの${one}を変更しました: ${fields.join('、')}。保存すると、その変更と合わせて保存されます。`,
  } satisfies TextTable
}
