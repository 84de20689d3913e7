import type { commonWords } from '#core/messages.ts'
import type { Explanation } from '#http/openapi/explanation.ts'

export const english: Readonly<Record<keyof (typeof commonWords)['en'], Explanation>> = {
  'e.xx.fw.4001': {
    means: 'The service does not know who is asking.',
    why: 'The request has no credentials, or the sign id, password or token is wrong or has expired.',
    cure: 'Send the credentials that `WWW-Authenticate` names. A wrong sign id and a wrong password give the same answer on purpose.',
  },
  'e.xx.fw.4003': {
    means: 'The service knows who is asking, and this is not allowed.',
    why: 'A member may not do this, the token lacks a scope, or the path does not belong to the API.',
    cure: 'Check the path. If it is right, ask an administrator, or ask for a token with the scope that `WWW-Authenticate` names.',
  },
  'e.xx.fw.5001': {
    means: 'There is nothing at this address.',
    why: 'The identifier is unknown or malformed, the item has been deleted, or the path is misspelt.',
    cure: 'Read the list again and use an identifier from it. Do not repeat the request as it is.',
  },
  'e.xx.fw.6000': {
    means: 'The request is not valid HTTP.',
    why: 'The request line, a header field or the Host is malformed, missing or given twice.',
    cure: 'Use an ordinary HTTP library. If you do, look at proxies between you and the service.',
  },
  'e.xx.fw.6001': {
    means: 'The path is known, the method is not one of its own.',
    why: 'For example PUT was sent to a list, or POST to an item.',
    cure: 'Use one of the methods that the header field `Allow` of the answer names.',
  },
  'e.xx.fw.6002': {
    means: 'The service cannot answer in the form that was asked for.',
    why: '`Accept` or the suffix of the path names neither JSON nor XML.',
    cure: 'Accept `application/json` or `application/xml`, or use the suffix `.json` or `.xml`.',
  },
  'e.xx.fw.6003': {
    means: 'The service cannot read a body of this type.',
    why: '`Content-Type`, its charset or `Content-Encoding` is missing or not supported. A PATCH needs `application/merge-patch+json`.',
    cure: 'Send one of the types that `Accept`, `Accept-Patch` or `Accept-Encoding` of the answer names, in UTF-8.',
  },
  'e.xx.fw.6004': {
    means: 'The body is larger than the service takes.',
    why: 'The body, or what it becomes when it is unpacked, is over the limit: 1 MiB if nobody changed it.',
    cure: 'Send less in one request.',
  },
  'e.xx.fw.6005': {
    means: 'The address of the request is too long.',
    why: 'Path and query together are over 8 KiB.',
    cure: 'Shorten the query.',
  },
  'e.xx.fw.6006': {
    means: 'The header fields of the request are too large.',
    why: 'All fields together are over 16 KiB, often because of cookies, which the service does not need.',
    cure: 'Send fewer and shorter header fields.',
  },
  'e.xx.fw.6007': {
    means: 'The request did not arrive in time.',
    why: 'The header fields took longer than 10 seconds, or the whole request longer than 30.',
    cure: 'Send the request again; nothing was done. If it happens often, look at the network.',
  },
  'e.xx.fw.6008': {
    means: 'The service cannot do what `Expect` asks for.',
    why: '`Expect` says something other than `100-continue`.',
    cure: 'Leave the header field `Expect` out.',
  },
  'e.xx.fw.7001': {
    means: 'The body can be read, but some of its values break a rule.',
    why: 'A required field is missing, too long, not in its code list or otherwise wrong. `details` has one entry for each failing field.',
    cure: 'Correct the field that each `target` names, by the `code` and `message` beside it.',
  },
  'e.xx.fw.7002': {
    means: 'A query parameter or header field can be read, but breaks a rule.',
    why: 'It is out of range, given twice, not one of the allowed values, or a cursor that belongs to another list.',
    cure: 'Correct the parameter that each `target` in `details` names.',
  },
  'e.xx.fw.7003': {
    means: 'The body cannot be read.',
    why: 'It is empty, malformed JSON or XML, has a field that nobody knows, or a value of another type.',
    cure: 'Look at `details`: it says where, or which field. Nothing is converted: a number is no text.',
  },
  'e.xx.fw.7006': {
    means: 'A parameter cannot be converted to its type.',
    why: 'For example `page=abc`, or a date that does not exist.',
    cure: 'Send a value of the type that `details` names.',
  },
  'e.xx.fw.8001': {
    means: 'A rule of the business forbids this.',
    why: 'What is stored already stands against it.',
    cure: 'Read the message: it says what is in the way.',
  },
  'e.xx.fw.8002': {
    means: 'Another request changed the same thing at the same moment.',
    why: 'Two changes met, and the other one was faster.',
    cure: 'Read the item again, and repeat the change if it still makes sense.',
  },
  'e.xx.fw.8003': {
    means: 'The item is no longer as the request expects it.',
    why: '`If-Match`, `If-None-Match` or `If-Unmodified-Since` does not fit the present version: somebody changed it since it was read.',
    cure: 'Read the item again, compare it with your change, and send it with the new `ETag`.',
  },
  'e.xx.fw.8004': {
    means: 'This service takes changes only of a version that is named.',
    why: 'The request has no `If-Match`, and the service is set to insist on it.',
    cure: 'Read the item and send its `ETag` as `If-Match`.',
  },
  'e.xx.fw.8005': {
    means: 'The first request with this idempotency key is still at work.',
    why: 'The request was repeated before its first answer was there.',
    cure: 'Wait as long as `Retry-After` says, and repeat it with the same key: the kept answer will come.',
  },
  'e.xx.fw.8006': {
    means: 'The idempotency key belongs to another request.',
    why: 'The key was used within 24 hours with another body.',
    cure: 'Make a new key for every new request; repeat a request with the very same body.',
  },
  'e.xx.fw.9002': {
    means: 'The service cannot write to its storage just now.',
    why: 'The disk is full, or the database is restarting or out of reach. Nothing was changed.',
    cure: 'Wait as long as `Retry-After` says, and repeat the request. Reading may still work.',
  },
  'e.xx.fw.9003': {
    means: 'Something failed within the service.',
    why: 'The cause is written in the log of the service, and not shown.',
    cure: 'Tell those who run the service the `X-Track` of the answer. Read again before you repeat a change.',
  },
  'e.xx.fw.9004': {
    means: 'The service has more to do than it can.',
    why: 'Too many requests wait, for example for their passwords to be checked.',
    cure: 'Wait as long as `Retry-After` says, and longer each time.',
  },
  'e.xx.fw.9005': {
    means: 'You have sent more requests than you may.',
    why: 'The limit of requests, or of failed sign-ins, is reached.',
    cure: 'Wait as long as `Retry-After` says. `RateLimit` tells how much is left.',
  },
  'e.xx.fw.9006': {
    means: 'Your token cannot be checked now.',
    why: 'The keys of the authorization server are not known yet, and it does not answer.',
    cure: 'Wait as long as `Retry-After` says, and send the request again with the same token.',
  },
  NotNull: { means: 'A required field has no value.', why: 'It is missing or null.', cure: 'Send a value.' },
  NotEmpty: {
    means: 'A parameter that is given must say something.',
    why: 'It is empty.',
    cure: 'Send a value, or leave the parameter out.',
  },
  Null: {
    means: 'The field may not be changed here.',
    why: 'It differs from what the service shows.',
    cure: 'Leave it out, or send it exactly as it was read. A credential has an address of its own.',
  },
  Size: {
    means: 'A text is too short or too long.',
    why: 'Characters are counted as people see most of them: one code point is one.',
    cure: 'Keep within the bounds that the message names.',
  },
  Min: {
    means: 'A number is too small.',
    why: 'It is below the least that makes sense.',
    cure: 'Send at least what the message names.',
  },
  Pattern: {
    means: 'A value is not one of those that are allowed.',
    why: 'It is an unknown name, a cursor of another list, or a text with control characters that XML cannot carry.',
    cure: 'Use a value that the reference names, and no control characters.',
  },
  Past: {
    means: 'A date must lie in the past.',
    why: 'It is today or later, in the time zone of the service.',
    cure: 'Send a date before today.',
  },
  Email: {
    means: 'A text is no e-mail address.',
    why: 'It lacks an @, or a part beside it is malformed.',
    cure: 'Send an address such as `john@example.com`.',
  },
  ExistInCodeList: {
    means: 'A code is not in its list.',
    why: 'Codes are texts and compared exactly.',
    cure: 'Use one of the codes that the reference names.',
  },
  Once: { means: 'A parameter was given more than once.', why: 'It means one value.', cure: 'Give it once.' },
  Unknown: {
    means: 'A parameter is not known.',
    why: '`Prefer: handling=strict` asked to refuse such.',
    cure: 'Check its spelling, or leave the preference out.',
  },
  TypeMismatch: {
    means: 'A parameter is not of its type.',
    why: 'A number, a date or a boolean was expected.',
    cure: 'Send a value of the type that the message names.',
  },
  UnknownField: {
    means: 'The body has a field that nobody knows.',
    why: 'It is misspelt, or belongs to something else.',
    cure: 'Take it out, or correct its name.',
  },
  WrongType: {
    means: 'A field is not of its type.',
    why: 'Nothing is converted: `"1"` is a text, `1` is a number.',
    cure: 'Send a value of the type that the message names.',
  },
  EmptyBody: {
    means: 'The body is empty.',
    why: 'The request needs a body, and none came.',
    cure: 'Send a body.',
  },
  NotAnObject: {
    means: 'The body is no object.',
    why: 'It is a list, a text, a number or null.',
    cure: 'Send an object: `{ … }`.',
  },
  Syntax: {
    means: 'The body is malformed.',
    why: 'A character stands where it may not.',
    cure: 'Look at the line and column of the message.',
  },
  TrailingData: {
    means: 'There is text after the end of the body.',
    why: 'Two documents were sent, or a bracket is too much.',
    cure: 'End the body where its value ends.',
  },
  DuplicateName: {
    means: 'A name occurs twice in one object.',
    why: 'Which of the two counts would be a guess.',
    cure: 'Say it once.',
  },
  TooDeep: {
    means: 'The body is nested too deeply.',
    why: 'No resource needs so many levels.',
    cure: 'Send flatter data.',
  },
  NullCharacter: {
    means: 'The body has a NUL character.',
    why: 'No text may hold it.',
    cure: 'Take it out.',
  },
  LoneSurrogate: {
    means: 'The body has half a character.',
    why: 'A surrogate stands alone: often an emoji was cut in two.',
    cure: 'Cut texts between characters.',
  },
  NumberRange: {
    means: 'A number is out of range.',
    why: 'It is larger than JSON numbers can be exchanged.',
    cure: 'Send a smaller number.',
  },
  Encoding: {
    means: 'The bytes of the body are not what they claim to be.',
    why: 'They are not valid UTF-8, or not valid gzip.',
    cure: 'Encode the body as UTF-8, and compress it properly or not at all.',
  },
  Doctype: {
    means: 'The XML has a document type.',
    why: 'Document types are never read: they can do harm.',
    cure: 'Take the `<!DOCTYPE …>` out.',
  },
  ProcessingInstruction: {
    means: 'The XML has a processing instruction.',
    why: 'Nobody would follow it.',
    cure: 'Take the `<?…?>` out; the XML declaration at the beginning may stay.',
  },
  Attribute: {
    means: 'The XML has an attribute.',
    why: 'Only `xsi:nil` means something.',
    cure: 'Send values as elements.',
  },
  Entity: {
    means: 'The XML has an unknown entity.',
    why: 'Only the five of XML itself and numbers are known.',
    cure: 'Write the character itself.',
  },
  MixedContent: {
    means: 'The XML has text beside elements.',
    why: 'An element holds either text or elements.',
    cure: 'Take the text out.',
  },
  WrongRoot: {
    means: 'The XML has another root than was expected.',
    why: 'It belongs to another resource.',
    cure: 'Use the root that the message names.',
  },
}
