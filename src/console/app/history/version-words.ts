import { textsIn } from '#console/app/words/texts.ts'

export const useVersionWords = textsIn({
  historyOf: (name: string) => [`History of ${name}`, `${name} の履歴`],
  arrow: { was: ['was:', '変更前:'], now: ['now:', '変更後:'] },
  present: ['Present version', '現在の版'],
  unkept: ['The old value is no longer kept.', '当時の値は残っていません。'],
  putBack: ['Put this version back', 'この版に戻す'],
  putBackTitle: ['Put this version back?', 'この版に戻しますか？'],
  putBackDone: ['The old version is put back', '以前の版に戻しました'],
  changedMeanwhile: `Somebody has changed the record meanwhile. Look again.
    その間にほかの人がこの記録を変更しました。もう一度確かめてください。`,
  restore: ['Restore', '復元'],
  notDone: ['Nothing was changed.', '何も変更されませんでした。'],
  erase: ['Erase', '完全に消去'],
  eraseTitle: (name: string) => [`Erase ${name} for good?`, `${name} を完全に消去しますか？`],
  eraseText: `
    Deletes the member and all values of its past. The log still shows who changed which field, and when. This cannot be undone.
    会員と、残っている過去の値をすべて消去します。誰がいつどの項目を変えたかは残ります。この操作は取り消せません。`,
  eraseDone: ['The member is erased', '会員を完全に消去しました'],
})
