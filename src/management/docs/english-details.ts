import type { DetailCode } from '#core/messages.ts'
import type { Explanation } from '#http/openapi/explanation.ts'

export const englishDetails: Readonly<Record<DetailCode, Explanation>> = {
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
    why: 'It is an unknown name, a cursor of another list, a page number that is too large, a type of body that is not taken, or a text with control characters that XML cannot carry.',
    cure: 'Use a value that the message or the reference names, and no control characters.',
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
    why: '`Prefer: handling=strict` asks for unknown parameters to be refused; or it filters by a field that a member may not see of other members.',
    cure: 'Check its spelling, leave the preference out, or ask an administrator.',
  },
  TypeMismatch: {
    means: 'A parameter is not of its type.',
    why: 'A number, a date or a boolean was expected.',
    cure: 'Send a value of the type that the message names.',
  },
  ChangedMeanwhile: {
    means: 'The named resource was changed, or held, by another request at the same time.',
    why: 'Both began with the same version, or the other one kept it locked.',
    cure: 'Read it again, and repeat your change if it is still wanted.',
  },
  KeyInUse: {
    means: 'The first request with this idempotency key has not been answered yet.',
    why: 'The request was repeated before its answer came.',
    cure: 'Wait as long as `Retry-After` says, and send it again with the same key.',
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
  TooMany: {
    means: 'The body has too many values.',
    why: 'No resource has so many fields.',
    cure: 'Send the fields of the resource alone.',
  },
  TooLong: {
    means: 'The XML body has too many characters.',
    why: 'No resource is so long, and to read it would keep others waiting.',
    cure: 'Send the fields of the resource alone.',
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
    why: 'It is beyond what a double-precision number can hold, about ±1.8 × 10³⁰⁸.',
    cure: 'Send a smaller number.',
  },
  Encoding: {
    means: 'The bytes of the body are not what they claim to be.',
    why: 'They are not valid UTF-8, or the XML declaration names another encoding.',
    cure: 'Encode the body as UTF-8. The message names the line and column of the first wrong byte.',
  },
  Compression: {
    means: 'The body cannot be decompressed.',
    why: '`Content-Encoding` says gzip, and the bytes are not valid gzip.',
    cure: 'Compress the body with gzip, or send it as it is and without `Content-Encoding`.',
  },
  Unencoded: {
    means: 'The path or the query holds a character that no URL may hold.',
    why: 'Letters beyond ASCII, `"`, `<`, `>` and `#` must be percent-encoded.',
    cure: 'Encode each value, with `encodeURIComponent` or `curl --get --data-urlencode`.',
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
