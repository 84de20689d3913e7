import { count, number, type TextTable } from './texts.ts'

export const general = {
  skip: ['Skip to content', '本文へ移動'],
  pages: {
    overview: ['Overview', '概況'],
    todos: ['Todos', 'やること'],
    members: ['Members', '会員'],
    import: ['Import', '取り込み'],
    activity: ['Activity', '変更履歴'],
    keys: ['Keys', 'キー'],
    webhooks: ['Webhooks', 'Webhook'],
    service: ['Service', 'サービス'],
  },
  navigation: ['Pages', 'ページ'],
  documents: ['API documentation', 'API ドキュメント'],
  language: ['Language', '言語'],
  theme: ['Appearance', '外観'],
  themes: { system: ['System', 'システムに合わせる'], light: ['Light', 'ライト'], dark: ['Dark', 'ダーク'] },
  signedInAs: (name: string) => [`Signed in as ${name}`, `${name} でサインイン中`],
  signedInAt: (host: string) => [`Signed in at ${host}`, `${host} でサインイン中`],
  signOut: ['Sign out', 'サインアウト'],
  close: ['Close', '閉じる'],
  more: ['More', 'その他'],
  cancel: ['Cancel', 'キャンセル'],
  save: ['Save', '保存'],
  delete: ['Delete', '削除'],
  edit: ['Edit', '編集'],
  openPage: ['Open as a page', 'ページで開く'],
  history: ['History', '履歴'],
  undo: ['Undo', '元に戻す'],
  retry: ['Try again', 'もう一度試す'],
  loading: ['Loading…', '読み込み中…'],
  copy: ['Copy', 'コピー'],
  copied: ['Copied', 'コピーしました'],
  iCopied: ['I have copied it', '控えました'],
  showPassword: (field: string) => [`Show “${field}”`, `「${field}」を表示`],
  none: ['–', '–'],
  emptyText: ['(empty)', '(空文字)'],
  notAllowed: `Your sign-in lets you see only the names of other members.
    現在のサインインでは、ほかの会員は氏名だけが表示されます。`,
  noPage: {
    title: ['Page not found', 'そのページはありません'],
    text: ['The address may be old, or mistyped.', 'アドレスが古いか、間違っているようです。'],
    home: ['Go to the overview', '概況へ'],
  },
  failure: {
    unreachable: ['The service cannot be reached.', 'サービスに接続できません。'],
    unreachableAdvice: `Check the network. Nothing is lost: what you entered stays on this page.
      ネットワークを確認してください。このページの内容は、再試行するまで失われません。`,
    broken: ['The service failed.', 'サービスでエラーが発生しました。'],
    brokenAdvice: `
      This is not your fault. Try again in a moment; if it keeps happening, quote this id to the operator.
      あなたの操作が原因ではありません。少し待って再試行し、続く場合はこの ID を運用者に伝えてください。`,
    refused: ['The service refused this.', 'サービスに拒否されました。'],
    deniedAdvice: `Your sign-in does not allow this.
      現在のサインインでは、この操作は許可されていません。`,
    unforeseen: ['Something unexpected happened on this page.', 'このページで予期しないことが起きました。'],
    notLoaded: `
      This part of the page could not be loaded. Check the network, and reload the page: the service may have been updated.
      ページのこの部分を読み込めませんでした。ネットワークを確認して、ページを再読み込みしてください。サービスが更新された可能性があります。`,
    status: (status: number) => [`Status ${status}`, `ステータス ${status}`],
    retryAfter: (seconds: number) => `The service asks you to wait ${count(seconds, 'second', 'seconds')}.
      ${number(seconds)} 秒待つよう求められています。`,
    track: ['Track id', '追跡 ID'],
    explain: (code: string) => [`What ${code} means`, `${code} の意味`],
  },
  faults: {
    plain: {
      NotNull: ['This is required.', '必須の項目です。'],
      Past: ['This must be before today.', '今日より前の日付にしてください。'],
      Email: ['This is not an e-mail address.', 'メールアドレスの形式ではありません。'],
      Pattern: [
        'This value is not allowed, or contains a character that cannot be stored.',
        'この値は使用できないか、保存できない文字が含まれています。',
      ],
      CurrentPassword: ['This is not the current password.', '現在のパスワードと一致しません。'],
      PublicUrl: `Only public https addresses can be called. To allow a private host, add it to WEBHOOK_HOSTS.
        公開された https のアドレスだけを呼び出せます。プライベートなホストは WEBHOOK_HOSTS に指定します。`,
      CommonPassword: `Too many people use this password. Choose another.
        よく使われているパスワードです。別のものにしてください。`,
    },
    chooseOne: ['Choose at least one.', '一つ以上選んでください。'],
    longest: (most: string) => [`At most ${most} characters.`, `${most} 文字以内にしてください。`],
    between: (least: string, most: string) => `${least} to ${most} characters.
      ${least} 文字から ${most} 文字までにしてください。`,
    signIdInUse: (signId: string) => `${signId} is taken. Choose another sign id.
      ${signId} は使われています。別のサイン ID にしてください。`,
  },
  download: {
    begin: ['Export', '書き出す'],
    stop: (progress: string) => [`Stop (${progress} read)`, `中止（${progress}）`],
  },
  banner: {
    unreachable: `No connection to the service. What you see may be out of date.
      サービスに接続できません。表示が古い可能性があります。`,
    failing: (status: number) => `The service is failing (${status}). What you see may be out of date.
      サービスでエラーが発生しています (${status})。表示が古い可能性があります。`,
    since: (time: string) => [`Since ${time}.`, `${time} から。`],
    waiting: (seconds: number) => `
      The service asks you to wait. Trying again in ${count(seconds, 'second', 'seconds')}.
      サービスから待つよう求められています。${number(seconds)} 秒後にもう一度試します。`,
  },
  leaving: {
    title: ['Leave without saving?', '保存せずに移動しますか？'],
    text: ['What you typed on this page is not saved.', 'このページで入力した内容は保存されていません。'],
    stay: ['Stay', 'とどまる'],
    leave: ['Leave', '移動する'],
  },
  signIn: {
    title: ['Sign in to Rollcall', 'Rollcall にサインイン'],
    basic: ['With your sign id and password.', 'サイン ID とパスワードを入力してください。'],
    oauth: `With the identity provider of this service.
      このサービスの ID プロバイダーでサインインします。`,
    submit: ['Sign in', 'サインイン'],
    refused: ['The sign id or the password is wrong.', 'サイン ID かパスワードが違います。'],
    ended: `The service asks you to sign in again. What you see may be out of date.
      もう一度サインインしてください。表示が古い可能性があります。`,
    tokenRefused: `The service did not accept that sign-in, or it has expired.
      サインインが受け付けられなかったか、有効期限が切れました。`,
    stay: ['Stay signed in after closing the browser', 'サインインしたままにする'],
    basicNote: `For at most twelve hours. The password is not stored.
      最長 12 時間です。パスワードは保存しません。`,
    oauthNote: `The sign-in is held only in this page: closing the page signs you out.
      このページのメモリーにだけ保持し、閉じるとサインアウトします。`,
    goTo: (host: string) => [`Continue at ${host}`, `${host} に進む`],
    clientId: ['Client id', 'クライアント ID'],
    registration: ['Client registration', '登録情報'],
    undiscovered: `The identity provider of this service cannot be found.
      このサービスの ID プロバイダーが見つかりません。`,
    oauthFailed: (reason: string) => `The identity provider answered: ${reason}
      ID プロバイダーからの応答: ${reason}`,
    unanswered: ['The identity provider does not answer.', 'ID プロバイダーが応答しません。'],
    insecure: `This page was loaded over plain HTTP. Signing in with the identity provider needs HTTPS.
      このページは HTTP で開かれています。ID プロバイダーでのサインインには HTTPS が必要です。`,
    stateMismatch: ['the answer does not belong to this sign-in', 'このサインインへの応答ではありません'],
  },
  shortcuts: {
    title: ['Keyboard', 'キーボード'],
    open: ['Keyboard shortcuts', 'キーボードショートカット'],
    go: ['Go to a page', 'ページへ移動'],
    find: ['Find a page, a record or an action', 'ページ・記録・操作を探す'],
    nothing: ['Nothing found.', '見つかりません。'],
    newTodo: ['New todo', 'やることを追加'],
    down: ['Next row or record', '次の行または記録'],
    up: ['Previous row or record', '前の行または記録'],
    finish: ['Finish or reopen a todo, select a record', 'やることを完了または再開、記録を選択'],
    edit: ['Rename or edit', '名前の変更または編集'],
    save: ['Save a form', 'フォームを保存'],
    search: ['Search', '検索欄へ'],
    add: ['New member or todo', '会員ややることを追加'],
    undo: ['Undo the last change', '直前の操作を元に戻す'],
    notUndone: ['The last change cannot be undone here.', '直前の変更はここでは元に戻せません。'],
    help: ['This list', 'この一覧'],
    leave: ['Close a dialog, leave a field', 'ダイアログを閉じる、欄を離れる'],
    next: ['then', '→'],
    switch: ['Single-key shortcuts', '1 文字のショートカット'],
    on: ['On', 'オン'],
    off: ['Off', 'オフ'],
  },
} satisfies TextTable
