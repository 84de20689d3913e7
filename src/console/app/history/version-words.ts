import { textsIn } from '#console/app/words/index.ts'

const en = {
  historyOf: (name: string) => `History of ${name}`,
  arrow: ['was:', 'now:'],
  present: 'Present version',
  unkept: 'The old value is no longer kept.',
  putBack: 'Put this version back',
  putBackTitle: 'Put this version back?',
  putBackDone: 'The old version is put back',
  changedMeanwhile: 'Somebody has changed the record meanwhile. Look again.',
  restore: 'Restore',
  notDone: 'Nothing was changed.',
  erase: 'Erase',
  eraseTitle: (name: string) => `Erase ${name} for good?`,
  eraseText:
    'Deletes the member and all values of its past. The log still shows who changed which field, and when. This cannot be undone.',
  eraseDone: 'The member is erased',
}

const ja: typeof en = {
  historyOf: (name) => `${name} の履歴`,
  arrow: ['変更前:', '変更後:'],
  present: '現在の版',
  unkept: '当時の値は残っていません。',
  putBack: 'この版に戻す',
  putBackTitle: 'この版に戻しますか？',
  putBackDone: '以前の版に戻しました',
  changedMeanwhile: 'その間にほかの人がこの記録を変更しました。もう一度確かめてください。',
  restore: '復元',
  notDone: '何も変更されませんでした。',
  erase: '完全に消去',
  eraseTitle: (name) => `${name} を完全に消去しますか？`,
  eraseText:
    '会員と、残っている過去の値をすべて消去します。誰がいつどの項目を変えたかは残ります。この操作は取り消せません。',
  eraseDone: '会員を完全に消去しました',
}

/** The texts of the versions of a record, which are loaded with them. */
export const useVersionWords = textsIn({ en, ja })
