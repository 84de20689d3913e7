import { textsIn } from '#console/app/words/index.ts'
import type { KeyScope } from '#resources/key/declaration.ts'

/** A scope of the service without a word does not compile. */
type VerbWords = { readonly [S in KeyScope as S extends `${string}:${infer Verb}` ? Verb : never]: string }

const en = {
  emptyText: 'A key lets a program do what you choose, and nothing else.',
  nameHint: 'Which program it is for, such as “Nightly report”.',
  changes: 'Changes',
  verbs: {
    read: 'read',
    create: 'add',
    update: 'change',
    delete: 'delete',
    erase: 'erase',
  } satisfies VerbWords,
  term: 'Valid for',
  terms: { '30': '30 days', '90': '90 days', '365': 'a year', '0': 'no limit' },
  expiresSoon: (ago: string, date: string) => `Ends ${ago}, on ${date}`,
  expired: (date: string) => `Expired on ${date}`,
  lasts: 'Does not expire',
  used: (hour: string) => `in the hour from ${hour}`,
  unused: 'never used',
  orphaned: { suspended: '(suspended)', demoted: '(no longer an administrator)', removed: '(removed)' },
  removeText: 'Programs that use it are refused at once. A deleted key cannot be restored.',
}

const ja: typeof en = {
  emptyText: 'キーを使うと、選んだ操作だけをプログラムに許可できます。',
  nameHint: '「夜間レポート」のように、使うプログラムの名前を付けます。',
  changes: '変更履歴',
  verbs: { read: '参照', create: '追加', update: '変更', delete: '削除', erase: '完全消去' },
  term: '有効期間',
  terms: { '30': '30 日', '90': '90 日', '365': '1 年', '0': '無期限' },
  expiresSoon: (ago, date) => `${ago}（${date}）に失効`,
  expired: (date) => `${date} に失効しました`,
  lasts: '無期限',
  used: (hour) => `${hour} からの 1 時間`,
  unused: '未使用',
  orphaned: { suspended: '（停止中）', demoted: '（管理者ではなくなりました）', removed: '（削除済み）' },
  removeText: '使っているプログラムは直ちに拒否されます。削除したキーは元に戻せません。',
}

/** The texts of keys, which are loaded with them. */
export const keyWords = textsIn({ en, ja })
