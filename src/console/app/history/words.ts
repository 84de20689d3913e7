import { number, textsIn } from '#console/app/words/texts.ts'

export const historyWords = textsIn({
  subtitle: `What has changed, newest first. New changes appear by themselves.
    新しいものから並びます。新しい変更は自動的に表示されます。`,
  all: ['All changes', 'すべての変更'],
  types: {
    'member.created': ['Member added', '会員を登録'],
    'member.updated': ['Member changed', '会員を変更'],
    'member.credentialChanged': ['Sign-in changed', 'サインイン情報を変更'],
    'member.roleChanged': ['Role changed', '役割を変更'],
    'member.deleted': ['Member deleted', '会員を削除'],
  },
  deletions: ['Deleted records', '削除された記録'],
  restore: ['Restore', '復元'],
  restoreAll: (n: number) => [`Restore all ${n} shown`, `表示中の ${n} 件をすべて復元`],
  imported: (count: number, many: string) => `${many}: ${number(count)} imported from
    ${many} ${number(count)} 件を取り込み:`,
  importUndone: ['Import undone:', '取り込みを取り消し:'],
  done: {
    change: (count: number, many: string) => [
      `${many}: ${number(count)} changed:`,
      `${many} ${number(count)} 件を変更:`,
    ],
    delete: (count: number, many: string) => [
      `${many}: ${number(count)} deleted:`,
      `${many} ${number(count)} 件を削除:`,
    ],
  },
  undone: ['Undone:', '元に戻しました:'],
  file: ['a file', 'ファイル'],
  show: ['Show', '表示'],
  only: (name: string) => [`Only ${name}`, `${name} のみ`],
  onlyThis: ['Only this record', 'この記録だけ表示'],
  onlyBy: ['Only this person or program', 'この操作者だけ表示'],
  who: ['Changed by', '操作者'],
  day: ['Day', '日付'],
  by: (name: string) => [`by ${name}`, `操作者: ${name}`],
  authors: {
    anyone: ['somebody without a sign-in', 'サインインしていない人'],
    administrator: ['the administrator', '管理者'],
    rollcall: ['Rollcall itself', 'Rollcall 自体'],
  },
  key: (name: string) => [`the key ${name}`, `キー ${name}`],
  details: ['Details', '詳細'],
  older: ['Show older changes', '以前の変更を表示'],
  none: ['No changes found', '当てはまる変更は残っていません'],
  noneText: ['Old changes are deleted after a time.', '変更は一定の期間だけ保存されます。'],
  verbs: {
    created: (one: string) => [`${one} added`, `${one}を追加`],
    updated: (one: string) => [`${one} changed`, `${one}を変更`],
    deleted: (one: string) => [`${one} deleted`, `${one}を削除`],
  },
})

export type HistoryWords = ReturnType<typeof historyWords>
