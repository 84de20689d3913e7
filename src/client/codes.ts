// Generated from docs/openapi.json by `npm run openapi`.

/** Every error code by its name. */
export const codes = {
  unauthenticated: 'e.xx.fw.4001',
  forbidden: 'e.xx.fw.4003',
  notFound: 'e.xx.fw.5001',
  gone: 'e.xx.fw.5002',
  httpSyntax: 'e.xx.fw.6000',
  methodNotAllowed: 'e.xx.fw.6001',
  notAcceptable: 'e.xx.fw.6002',
  unsupportedMediaType: 'e.xx.fw.6003',
  bodyTooLarge: 'e.xx.fw.6004',
  targetTooLong: 'e.xx.fw.6005',
  headersTooLarge: 'e.xx.fw.6006',
  requestTimeout: 'e.xx.fw.6007',
  expectationFailed: 'e.xx.fw.6008',
  bodyInvalid: 'e.xx.fw.7001',
  parametersInvalid: 'e.xx.fw.7002',
  bodyUnreadable: 'e.xx.fw.7003',
  typeMismatch: 'e.xx.fw.7006',
  business: 'e.xx.fw.8001',
  conflict: 'e.xx.fw.8002',
  preconditionFailed: 'e.xx.fw.8003',
  preconditionRequired: 'e.xx.fw.8004',
  keyInUse: 'e.xx.fw.8005',
  keyReused: 'e.xx.fw.8006',
  operationFailed: 'e.xx.fw.8007',
  secretNotKept: 'e.xx.fw.8008',
  storageUnavailable: 'e.xx.fw.9002',
  system: 'e.xx.fw.9003',
  overloaded: 'e.xx.fw.9004',
  tooManyRequests: 'e.xx.fw.9005',
  issuerUnavailable: 'e.xx.fw.9006',
  importState: 'e.xx.im.8001',
  tooManyKeySecrets: 'e.xx.ky.8001',
  tooManyViews: 'e.xx.vw.8001',
  tooManyWebhooks: 'e.xx.wh.8001',
  tooManySecrets: 'e.xx.wh.8002',
  changeNotKept: 'e.xx.wh.8003',
  neverInLog: 'e.xx.wh.8004',
  memberNotFound: 'e.xx.yy.5001',
  signIdInUse: 'e.xx.yy.8001',
  memberSuspended: 'e.xx.yy.8002',
} as const

/** Identifies the error for programs. A code never changes. */
export type ErrorCode = (typeof codes)[keyof typeof codes]

/** The rule that was broken. */
export type Constraint =
  | 'NotNull'
  | 'NotEmpty'
  | 'Null'
  | 'Size'
  | 'Min'
  | 'Max'
  | 'Pattern'
  | 'Past'
  | 'Future'
  | 'Email'
  | 'ExistInCodeList'
  | 'Once'
  | 'Reference'
  | 'Unique'
  | 'Unknown'
  | 'TypeMismatch'
  | 'ChangedMeanwhile'
  | 'KeyInUse'
  | 'UnknownField'
  | 'WrongType'
  | 'EmptyBody'
  | 'NotAnObject'
  | 'Syntax'
  | 'TrailingData'
  | 'DuplicateName'
  | 'TooDeep'
  | 'TooMany'
  | 'TooLong'
  | 'NullCharacter'
  | 'LoneSurrogate'
  | 'NumberRange'
  | 'Encoding'
  | 'Compression'
  | 'Missing'
  | 'Chunk'
  | 'Unencoded'
  | 'Doctype'
  | 'ProcessingInstruction'
  | 'Attribute'
  | 'Entity'
  | 'MixedContent'
  | 'WrongRoot'
  | 'DuplicateRow'
  | 'SeveralRecords'
  | 'ExistingRecord'
  | 'NotImported'
  | 'OpenDate'
  | 'LostDigits'
  | 'ChangedSince'
  | 'CurrentPassword'
  | 'CommonPassword'
  | 'PublicUrl'
  | 'UrlPort'
  | 'RightToRead'
  | 'ChangeCursor'
