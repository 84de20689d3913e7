import type { KindWords } from '#console/app/records/kind.ts'
import { locale } from '#console/app/state/preferences.ts'
import { wordsNow } from '#console/app/words/index.ts'
import type { DescribedResource } from '#console/description.ts'
import type { Locale } from '#core/locale.ts'

type Labels = DescribedResource['labels'][Locale]

const small = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

const en = ({ one, many }: Labels): KindWords => {
  const count = (n: number) => `${n.toLocaleString('en')} ${small(n === 1 ? one : many)}`
  return {
    title: many,
    subtitle: count,
    found: (n, text) => `${count(n)} with “${text}”`,
    add: `New ${small(one)}`,
    search: `Search ${small(many)}`,
    table: many,
    emptyTitle: `No ${small(many)} yet`,
    emptyText: 'Add the first one.',
    noHitsTitle: (text) => `Nothing is found by “${text}”`,
    noHitsText: wordsNow().list.folded,
    noFits: { title: 'Nothing fits the filters', text: 'Change them, or clear them to see all.' },
    ask: (n) => `Delete ${count(n)}?`,
    pickAll: (n) => `Select all ${n.toLocaleString('en')}`,
    newTitle: `New ${small(one)}`,
    create: `Add ${small(one)}`,
    created: (name) => `${name} is added`,
    editTitle: (name) => `Edit ${name}`,
    saved: (name) => `${name} is saved`,
    savedWithTheirs: (name, fields) =>
      `${name} is saved. Somebody else changed meanwhile: ${fields.join(', ')}`,
    previousOne: `Previous ${small(one)}`,
    nextOne: `Next ${small(one)}`,
    changedBeforeRemove:
      'Somebody else has changed this record since it was shown to you. Look at it before you delete it.',
    unansweredRemove: 'No answer from the service. It may not have been deleted: delete it again.',
    removed: (name) => `${name} is deleted`,
    restored: (name) => `${name} is restored`,
    failedRemove: (name) => `${name} was not deleted.`,
    mayNotAdd: `You may not add ${small(many)}`,
    mayNotEdit: 'You may not change this record',
    notFound: 'There is no such record',
    unansweredAdd:
      'No answer from the service. It may have been added: add it again as it is, and it is still added only once.',
    unansweredSave: 'No answer from the service. This may not have been saved: save it again.',
    deleted: 'Somebody has deleted this record, so nothing was saved.',
    gone: 'This record was deleted.',
    changedElsewhere: (fields) =>
      `Somebody else has changed this record meanwhile: ${fields.join(', ')}. What you save is joined with it.`,
  }
}

const ja = ({ one, many }: Labels): KindWords => {
  const count = (n: number) => `${n.toLocaleString('ja')} 件`
  return {
    title: many,
    subtitle: count,
    found: (n, text) => `「${text}」を含むもの ${count(n)}`,
    add: `${one}を追加`,
    search: `${many}を検索`,
    table: `${many}の一覧`,
    emptyTitle: `${many}はまだありません`,
    emptyText: '最初の 1 件を追加してください。',
    noHitsTitle: (text) => `「${text}」に当てはまるものはありません`,
    noHitsText: wordsNow().list.folded,
    noFits: { title: '条件に合うものはありません', text: '条件を変えるか、絞り込みを解除してください。' },
    ask: (n) => `${count(n)}を削除しますか？`,
    pickAll: (n) => `${count(n)}すべてを選択`,
    newTitle: `${one}の追加`,
    create: `${one}を追加`,
    created: (name) => `${name} を追加しました`,
    editTitle: (name) => `${name} の編集`,
    saved: (name) => `${name} を保存しました`,
    savedWithTheirs: (name, fields) =>
      `${name} を保存しました。その間にほかの人が変更した項目：${fields.join('、')}`,
    previousOne: `前の${one}`,
    nextOne: `次の${one}`,
    changedBeforeRemove:
      '表示した後に、ほかの人がこの記録を変更しました。内容を確かめてから削除してください。',
    unansweredRemove:
      'サービスから応答がありません。削除されていない可能性があります。もう一度削除してください。',
    removed: (name) => `${name} を削除しました`,
    restored: (name) => `${name} の削除を取り消しました`,
    failedRemove: (name) => `${name} は削除されませんでした。`,
    mayNotAdd: `${many}を追加する権限がありません`,
    mayNotEdit: 'この記録を変更する権限がありません',
    notFound: 'その記録はありません',
    unansweredAdd:
      'サービスから応答がありません。追加済みの可能性があります。このままもう一度追加しても、二重には追加されません。',
    unansweredSave:
      'サービスから応答がありません。保存されていない可能性があります。もう一度保存してください。',
    deleted: 'この記録は削除されているため、保存できませんでした。',
    gone: 'この記録は削除されました。',
    changedElsewhere: (fields) =>
      `ほかの人がこの記録を変更しました: ${fields.join('、')}。保存すると、その変更と合わせて保存されます。`,
  }
}

const tables = { en, ja } satisfies Record<Locale, (labels: Labels) => KindWords>

/** What is said of a declared resource, by what it is called. */
export const kindWords = (labels: Labels): KindWords => tables[locale.get()](labels)
