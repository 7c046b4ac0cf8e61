/** A text whose parts in backticks, such as names of fields, are shown as code. */
export function Inline({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      <span key={`${index} ${part}`}>{part}</span>
    ) : (
      <code translate="no" key={`${index} ${part}`}>
        {part}
      </code>
    ),
  )
}
