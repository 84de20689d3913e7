import { count, number, textsIn } from '#console/app/words/texts.ts'

type Counts = Readonly<Record<'new' | 'changed' | 'deleted', number>>

export const importWords = textsIn({
  subtitle: `Records from a file: CSV, Excel (.xlsx), NDJSON or a JSON array, or cells that you paste.
    CSV、Excel（.xlsx）、NDJSON、JSON 配列のファイル、または貼り付けたセルから記録を取り込みます。`,
  contains: ['The file contains', 'ファイルの内容'],
  drop: ['Drop a file here', 'ここにファイルをドロップ'],
  or: ['or paste cells, or', 'セルを貼り付けるか、'],
  choose: ['Choose a file', 'ファイルを選ぶ'],
  template: ['Save an empty file with all columns', 'すべての列のある空のファイルを保存'],
  sending: ['Sending the file…', 'ファイルを送信中…'],
  several: ['Import one file at a time.', 'ファイルは 1 つずつ取り込みます。'],
  pasted: ['Pasted cells', '貼り付けたセル'],
  recent: ['Recent imports', '最近の取り込み'],
  id: ['Id', 'ID'],
  states: {
    reading: ['Reading', '読み取り中'],
    ready: ['Ready', '準備完了'],
    applying: ['Importing', '取り込み中'],
    stopped: ['Stopped', '中止しました'],
    done: ['Done', '完了'],
    undoing: ['Undoing', '取り消し中'],
    undone: ['Undone', '取り消しました'],
    failed: ['Not read', '読み取れません'],
  },
  changing: { change: ['Changing', '変更中'], delete: ['Deleting', '削除中'] },
  by: (name: string, when: string) => [`${name}, ${when}`, `${name}、${when}`],
  columns: ['Columns of the file', 'ファイルの列'],
  joined: `Several columns may fill one text, such as the address: they are joined.
    住所など、1 つの文字項目に複数の列を選ぶと、つなげて取り込みます。`,
  leaveOut: ['Leave out', '使わない'],
  comma: [', ', '、'],
  options: {
    existing: ['Records that exist', '既存の記録'],
    match: ['Rows are matched by', '照合に使う項目'],
    dates: ['Dates are written', '日付の順序'],
    sheet: ['Sheet', 'シート'],
    header: ['Headings are in', '見出しの行'],
    encoding: ['Encoding', '文字コード'],
    passwords: ['Rows without a password', 'パスワードのない行'],
  },
  existing: { update: ['Update', '更新する'], skip: ['Skip', '飛ばす'], refuse: ['Refuse', '拒否する'] },
  dates: {
    dmy: ['Day/month/year', '日/月/年'],
    mdy: ['Month/day/year', '月/日/年'],
    ymd: ['Year/month/day', '年/月/日'],
  },
  passwords: {
    refuse: ['Refuse', '拒否する'],
    none: ['Import without a password', 'パスワードなしで取り込む'],
    generate: ['Make a password', 'パスワードを作成する'],
  },
  fullNames: {
    'first last': ['Full name (first last)', '氏名（名 姓）'],
    'last first': ['Full name (last first)', '氏名（姓 名）'],
    'last, first': ['Full name (last, first)', '氏名（姓, 名）'],
  },
  header: (line: number) => [line === 0 ? 'No line' : `Line ${line}`, line === 0 ? 'なし' : `${line} 行目`],
  automatic: ['Automatic', '自動'],
  open: {
    columns: ['Choose what each column holds.', '各列の項目を選んでください。'],
    dates: ['Choose in which order dates are written.', '日付の順序を選んでください。'],
    passwords: `Choose what happens to rows without a password.
      パスワードのない行の扱いを選んでください。`,
  },
  outcomes: {
    new: ['New', '新規'],
    changed: ['Changed', '変更'],
    deleted: ['Deleted', '削除'],
    unchanged: ['Unchanged', '変更なし'],
    refused: ['Refused', '拒否'],
  },
  all: ['All', 'すべて'],
  rows: ['Rows', '行'],
  noRows: ['There are no such rows.', '該当する行はありません。'],
  line: ['Line', '行'],
  record: ['Record', '記録'],
  what: ['What happens', '結果'],
  adds: ['will be added', '追加されます'],
  added: ['was added', '追加されました'],
  deletes: ['will be deleted', '削除されます'],
  deleted: ['was deleted', '削除されました'],
  same: ['stays as it is', '変わりません'],
  became: (label: string, before: string, after: string) => `${label}: ${before} → ${after}
    ${label}：${before} → ${after}`,
  noValue: ['(nothing)', '（なし）'],
  faultOf: (label: string, value: string | null) => `${value ? `${label} (${value})` : label}: 
    ${value ? `${label}（${value}）` : label}：`,
  otherValue: (label: string) => [`Another value for ${label}`, `${label}の別の値`],
  correct: ['Correct', '直す'],
  correctAll: ['Correct all rows with this value', '同じ値をすべて直す'],
  fillAll: ['Fill all rows without a value', '値のない行すべてに入れる'],
  faults: {
    ExistInCodeList: ['Choose one of these.', '次から選んでください。'],
    WrongType: ['It cannot be read like this.', 'この形式では読み取れません。'],
  },
  notCorrected: ['The value was not changed.', '値を変更できませんでした。'],
  apply: ({ new: added, changed, deleted }: Counts) => [
    [
      added > 0 && `Add ${number(added)}`,
      changed > 0 && `${added > 0 ? 'change' : 'Change'} ${number(changed)}`,
      deleted > 0 && `Delete ${number(deleted)}`,
    ]
      .filter(Boolean)
      .join(', '),
    [
      added > 0 && `${number(added)} 件を追加`,
      changed > 0 && `${number(changed)} 件を変更`,
      deleted > 0 && `${number(deleted)} 件を削除`,
    ]
      .filter(Boolean)
      .join('、'),
  ],
  nothingToDo: ['Nothing in this file would change a record.', 'このファイルで変わる記録はありません。'],
  stop: ['Stop', '中止'],
  resume: ['Continue', '続ける'],
  undo: ['Undo this import', 'この取り込みを取り消す'],
  undoTitle: ['Undo this import?', 'この取り込みを取り消しますか？'],
  undoChangeTitle: ['Undo this change?', 'この変更を元に戻しますか？'],
  undoText: (value: number) => `
    ${count(value, 'change is', 'changes are')} undone. Records that somebody has changed since stay as they are, and are listed.
    ${number(value)} 件を元に戻します。その後変更された記録はそのまま残り、一覧に示されます。`,
  anotherFile: ['Another file', '別のファイル'],
  see: (title: string) => [`See: ${title}`, `${title}を見る`],
  invite: ['Invite members who have no password', 'まだ利用できない会員を招待'],
  savePasswords: (value: number) => `Save ${count(value, 'password', 'passwords')} as CSV
    ${number(value)} 件のパスワードを CSV で保存`,
  passwordsNote: `
    Anybody who has this file can sign in as these members. Give each member only their own password, then delete the file. It can be saved here for seven days after the import began.
    このファイルを持つ人は、これらの会員として利用できます。各会員には本人のパスワードだけを渡し、その後ファイルを削除してください。取り込みの開始から 7 日間、ここで保存できます。`,
  stateLine: (state: string, name: string, progress?: string) => [
    progress === undefined ? `${name}: ${state}` : `${state} ${name}: ${progress}`,
    `${name}：${state}${progress === undefined ? '' : `、${progress}`}`,
  ],
  progress: (done: number, total: number) => `${number(done)} of ${number(total)}
    ${number(total)} 件中 ${number(done)} 件`,
  read: (value: number) => [`${count(value, 'row', 'rows')} read`, `${number(value)} 行を読み取り`],
  refusedNote: `Refused rows are never imported. Correct them here, or leave them out.
    拒否された行は取り込まれません。ここで直すか、除いてください。`,
  failed: ['This could not be done.', '実行できませんでした。'],
})
