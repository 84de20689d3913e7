import { formatNumber } from '#console/app/words/format.ts'
import { textsIn } from '#console/app/words/index.ts'

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
  },
  deletions: 'Deleted records',
  restore: 'Restore',
  restoreAll: (n: number) => `Restore all ${n} shown`,
  imported: (count: number, many: string) => `${many}: ${formatNumber(count)} imported from`,
  importUndone: 'Import undone:',
  file: 'a file',
  show: 'Show',
  only: (name: string) => `Only ${name}`,
  onlyThis: 'Only this record',
  onlyBy: 'Only this person or program',
  who: 'Changed by',
  day: 'Day',
  by: (name: string) => `by ${name}`,
  authors: {
    anyone: 'somebody without a sign-in',
    administrator: 'the administrator',
    rollcall: 'Rollcall itself',
  },
  key: (name: string) => `the key ${name}`,
  details: 'Details',
  older: 'Show older changes',
  none: 'No changes found',
  noneText: 'Old changes are deleted after a time.',
  deeds: {
    created: (one: string) => `${one} added`,
    updated: (one: string) => `${one} changed`,
    deleted: (one: string) => `${one} deleted`,
  },
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
  },
  deletions: '削除された記録',
  restore: '復元',
  restoreAll: (n) => `表示中の ${n} 件をすべて復元`,
  imported: (count, many) => `${many} ${formatNumber(count)} 件を取り込み:`,
  importUndone: '取り込みを取り消し:',
  file: 'ファイル',
  show: '表示',
  only: (name) => `${name} のみ`,
  onlyThis: 'この記録だけ表示',
  onlyBy: 'この操作者だけ表示',
  who: '操作者',
  day: '日付',
  by: (name) => `操作者: ${name}`,
  authors: { anyone: 'サインインしていない人', administrator: '管理者', rollcall: 'Rollcall 自体' },
  key: (name) => `キー ${name}`,
  details: '詳細',
  older: '以前の変更を表示',
  none: '当てはまる変更は残っていません',
  noneText: '変更は一定の期間だけ保存されます。',
  deeds: {
    created: (one) => `${one}を追加`,
    updated: (one) => `${one}を変更`,
    deleted: (one) => `${one}を削除`,
  },
}

export type HistoryWords = typeof en

/** The texts for the history of a record and for the list of all changes, loaded with the code that shows them. */
export const historyWords = textsIn({ en, ja })
