import { yesAndNo } from '#core/display.ts'
import { count, number, type TextTable } from './texts.ts'

export const records = {
  list: {
    editCell: (field: string) => [`Edit ${field}`, `${field}を編集`],
    filters: ['Filters', '絞り込み'],
    moreFilters: ['More filters', 'ほかの条件'],
    from: (field: string) => [`${field} from`, `${field}（以降）`],
    none: (field: string) => [`${field} is empty`, `${field}（空欄）`],
    to: (field: string) => [`${field} before`, `${field}（より前）`],
    sortBy: (column: string) => [`Sort by ${column}`, `${column}で並べ替え`],
    pager: ['Pages of the list', '一覧のページ'],
    page: {
      before: (total: number) => ['Page', `${number(total)} ページ中`],
      after: (total: number) => [`of ${number(total)}`, 'ページ目'],
    },
    range: (from: number, to: number, total: number) => `${number(from)}–${number(to)} of ${number(total)}
      ${number(total)} 件中 ${number(from)}–${number(to)}`,
    previous: ['Previous page', '前のページ'],
    next: ['Next page', '次のページ'],
    size: ['Rows', '行数'],
    clear: ['Clear the search', '検索を消す'],
    clearFilters: ['Clear filters', '絞り込みを解除'],
    view: ['View', '表示'],
    shownColumns: ['Columns', '列'],
    link: `Link to this list, with its filters, order and columns
      絞り込み・並び順・列を含む、この一覧へのリンク`,
    deletedOnes: ['Deleted records', '削除された記録'],
    views: {
      label: ['Saved view', '保存したビュー'],
      save: ['Save this view…', 'このビューを保存…'],
      change: ['Change this view…', 'このビューを変更…'],
      name: ['Name', '名前'],
      shared: ['Shown to everybody who may see this list', 'この一覧を見られる全員に表示する'],
      ofOthers: (name: string) => [`${name} (shared)`, `${name}（共有）`],
      unanswered: `No answer from the service. This may not have been saved.
        サービスから応答がありません。保存されていない可能性があります。`,
    },
    density: ['Spacing', '行の間隔'],
    densities: { roomy: ['Roomy', 'ゆったり'], dense: ['Dense', '詰める'] },
    noSuchList: `The address asks for a list that does not exist.
      アドレスで指定された一覧は表示できません。`,
    reset: ['Reset the list', '一覧を初期状態に戻す'],
  },
  form: {
    unansweredSave: `No answer from the service. This may not have been saved: save it again.
      サービスから応答がありません。保存されていない可能性があります。もう一度保存してください。`,
    notSaved: (field: string, name: string) => `${field} of ${name} was not saved.
      ${name} の${field}は保存されませんでした。`,
    acted: (action: string, name: string) => [`${action}: ${name}`, `${action}: ${name}`],
    notActed: (action: string, name: string) => `${action}: not done for ${name}.
      ${action}: ${name} には実行されませんでした。`,
    yesNo: yesAndNo,
    nameless: (id: string) => [`record …${id}`, `記録 …${id}`],
    optional: ['optional', '任意'],
    check: (n: number) => [
      n === 1 ? 'Correct the marked field.' : `Correct the ${n} marked fields.`,
      `${number(n)} 件の項目を確認してください。`,
    ],
    noSuchDate: ['There is no such date.', 'そのような日付はありません。'],
  },
  bulk: {
    change: ['Change a field', '項目を変更'],
    changeTitle: (n: number) => `Change a field of ${count(n, 'record', 'records')}
      ${number(n)} 件の項目を変更`,
    field: ['Field', '項目'],
    apply: (n: number) => [`Change ${number(n)}`, `${number(n)} 件を変更`],
    willChange: (from: string, to: string, n: number, names: string) => `
      ${from} → ${to}: ${number(n)} (${names})
      ${from} → ${to}：${number(n)} 件（${names}）`,
    otherValues: (n: number) => `${count(n, 'record', 'records')} with other values
      ほかの値の ${number(n)} 件`,
    same: (n: number) => `${count(n, 'record has', 'records have')} this value already.
      ${number(n)} 件はすでにこの値です。`,
    yourself: ['You are among them.', 'あなた自身が含まれています。'],
    others: (n: number) => [`${number(n)} more`, `ほか ${number(n)} 件`],
    type: (n: number) => [`Type ${number(n)} to delete them`, `削除するには ${number(n)} と入力してください`],
    progress: (done: number, total: number) => `${number(done)} of ${number(total)}
      ${number(total)} 件中 ${number(done)} 件`,
    changedAll: (n: number) => [`${number(n)} changed`, `${number(n)} 件を変更しました`],
    putBack: (n: number) => [`${number(n)} put back`, `${number(n)} 件を元に戻しました`],
    select: (name: string) => [`Select ${name}`, `${name} を選択`],
    selectPage: ['Select all on this page', 'このページをすべて選択'],
    selected: (n: number) => [`${number(n)} selected`, `${number(n)} 名を選択中`],
    deselect: ['Select none', '選択を解除'],
    save: ['Export these', '選択分を書き出す'],
    ask: (n: number) => [`Delete ${number(n)}?`, `${number(n)} 件を削除しますか？`],
    askText: `They are deleted at once. Undo restores them.
      直ちに削除されます。「元に戻す」で復元できます。`,
    removed: (n: number) => [`${number(n)} deleted`, `${number(n)} 件を削除しました`],
    restored: (n: number) => [`${number(n)} restored`, `${number(n)} 件の削除を取り消しました`],
    finish: ['Finish all', 'すべて完了にする'],
    clear: ['Clear finished', '完了分を削除'],
    finished: (n: number) => [`${number(n)} finished`, `${number(n)} 件を完了にしました`],
    reopened: (n: number) => [`${number(n)} reopened`, `${number(n)} 件を未完了に戻しました`],
    notDone: {
      remove: ['deleted', '削除されませんでした'],
      change: ['changed', '変更されませんでした'],
      finish: ['finished', '完了になりませんでした'],
      reopen: ['reopened', '未完了に戻りませんでした'],
      restore: ['restored', '復元されませんでした'],
    },
    failed: (n: number, total: number, what: string) => `
      ${number(n)} of ${number(total)} ${n === 1 ? 'was' : 'were'} not ${what}
      ${number(total)} 件中 ${number(n)} 件は${what}`,
    comma: [', ', '、'],
    changed: `Somebody else has changed this since it was shown to you. Look at it first.
      表示した後に、ほかの人が変更しました。先に確認してください。`,
    unanswered: `No answer from the service. This may have been done, at least in part: look before you repeat it.
      サービスから応答がありません。すべて、または一部が実行された可能性があります。確認してから繰り返してください。`,
    notUndone: ['This was not undone.', '元に戻せませんでした。'],
    unread: `The list was not read, and nothing was done.
      一覧を読み込めなかったため、何も実行されませんでした。`,
  },
} satisfies TextTable
