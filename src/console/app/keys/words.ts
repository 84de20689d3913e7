import { type Text, textsIn } from '#console/app/words/texts.ts'
import type { KeyScope } from '#resources/key/declaration.ts'

/** A text for the verb of every scope of the service. A missing one does not compile. */
type VerbWords = { readonly [S in KeyScope as S extends `${string}:${infer Verb}` ? Verb : never]: Text }

export const keyWords = textsIn({
  emptyText: `A key lets a program do what you choose, and nothing else.
    キーを使うと、選んだ操作だけをプログラムに許可できます。`,
  nameHint: `Which program it is for, such as “Nightly report”.
    「夜間レポート」のように、使うプログラムの名前を付けます。`,
  changes: ['Changes', '変更履歴'],
  verbs: {
    read: ['read', '参照'],
    create: ['add', '追加'],
    update: ['change', '変更'],
    delete: ['delete', '削除'],
    erase: ['erase', '完全消去'],
  } satisfies VerbWords,
  term: ['Valid for', '有効期間'],
  terms: {
    '30': ['30 days', '30 日'],
    '90': ['90 days', '90 日'],
    '365': ['a year', '1 年'],
    '0': ['no limit', '無期限'],
  },
  expiresSoon: (ago: string, date: string) => [`Ends ${ago}, on ${date}`, `${ago}（${date}）に失効`],
  expired: (date: string) => [`Expired on ${date}`, `${date} に失効しました`],
  lasts: ['Does not expire', '無期限'],
  used: (hour: string) => [`in the hour from ${hour}`, `${hour} からの 1 時間`],
  unused: ['never used', '未使用'],
  orphaned: {
    suspended: ['(suspended)', '（停止中）'],
    demoted: ['(no longer an administrator)', '（管理者ではなくなりました）'],
    removed: ['(removed)', '（削除済み）'],
  },
  removeText: `Programs that use it are refused at once. A deleted key cannot be restored.
    使っているプログラムは直ちに拒否されます。削除したキーは元に戻せません。`,
})
