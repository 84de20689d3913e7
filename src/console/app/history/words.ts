import { locale } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import type { Locale } from '#core/locale.ts'

const en = {
  subtitle: 'What has changed, newest first. New changes appear by themselves.',
  all: 'All changes',
  types: {
    'member.created': 'Member added',
    'member.updated': 'Member changed',
    'member.credentialChanged': 'Sign-in changed',
    'member.roleChanged': 'Role changed',
    'member.deleted': 'Member deleted',
    'todo.created': 'Todo added',
    'todo.updated': 'Todo changed',
    'todo.deleted': 'Todo deleted',
    'key.created': 'Key made',
    'key.deleted': 'Key deleted',
    'webhook.created': 'Webhook made',
    'webhook.updated': 'Webhook changed',
    'webhook.deleted': 'Webhook deleted',
  },
  show: 'Show',
  only: (name: string) => `Only ${name}`,
  onlyThis: 'Only this record',
  by: (name: string) => `by ${name}`,
  authors: { anyone: 'anyone', administrator: 'the administrator', rollcall: 'Rollcall itself' },
  key: (name: string) => `the key ${name}`,
  nameless: (id: string) => `record …${id}`,
  track: 'Track id',
  older: 'Show older changes',
  none: 'Nothing that is kept fits here',
  noneText: 'Changes are kept for a time only.',
  historyOf: (name: string) => `History of ${name}`,
  fields: { todoTitle: 'Title', finished: 'State' },
  arrow: ['was:', 'now:'],
  present: 'Present version',
  unkept: 'What it was is not kept.',
  putBack: 'Put this version back',
  putBackTitle: 'Put this version back?',
  putBackDone: 'The old version is put back',
  changedMeanwhile: 'Somebody has changed the record meanwhile. Look again.',
  again: 'Add again',
  notDone: 'Nothing was changed.',
  erase: 'Erase',
  eraseTitle: (name: string) => `Erase ${name} for good?`,
  eraseText:
    'Deletes the member, and every value that is kept of its past. Who changed which field and when remains. This cannot be undone.',
  eraseDone: 'The member is erased',
}

const ja: typeof en = {
  subtitle: '新しいものから並びます。新しい変更は自動的に表示されます。',
  all: 'すべての変更',
  types: {
    'member.created': '会員を登録',
    'member.updated': '会員を変更',
    'member.credentialChanged': 'サインイン情報を変更',
    'member.roleChanged': '役割を変更',
    'member.deleted': '会員を削除',
    'todo.created': 'やることを追加',
    'todo.updated': 'やることを変更',
    'todo.deleted': 'やることを削除',
    'key.created': 'キーを作成',
    'key.deleted': 'キーを削除',
    'webhook.created': 'Webhook を作成',
    'webhook.updated': 'Webhook を変更',
    'webhook.deleted': 'Webhook を削除',
  },
  show: '表示',
  only: (name) => `${name} のみ`,
  onlyThis: 'この記録だけ表示',
  by: (name) => `操作者: ${name}`,
  authors: { anyone: '不特定', administrator: '管理者', rollcall: 'Rollcall 自体' },
  key: (name) => `キー ${name}`,
  nameless: (id) => `記録 …${id}`,
  track: '追跡 ID',
  older: '以前の変更を表示',
  none: '当てはまる変更は残っていません',
  noneText: '変更は一定の期間だけ保存されます。',
  historyOf: (name) => `${name} の履歴`,
  fields: { todoTitle: 'タイトル', finished: '状態' },
  arrow: ['変更前:', '変更後:'],
  present: '現在の版',
  unkept: '当時の値は残っていません。',
  putBack: 'この版に戻す',
  putBackTitle: 'この版に戻しますか？',
  putBackDone: '以前の版に戻しました',
  changedMeanwhile: 'その間にほかの人がこの記録を変更しました。もう一度確かめてください。',
  again: '登録し直す',
  notDone: '何も変更されませんでした。',
  erase: '完全に消去',
  eraseTitle: (name) => `${name} を完全に消去しますか？`,
  eraseText:
    '会員と、残っている過去の値をすべて消去します。誰がいつどの項目を変えたかは残ります。この操作は取り消せません。',
  eraseDone: '会員を完全に消去しました',
}

const tables: Readonly<Record<Locale, typeof en>> = { en, ja }

export type HistoryWords = typeof en

/** The texts of histories and of all changes, which are loaded with them. */
export const useHistoryWords = () => tables[useStore(locale)]
