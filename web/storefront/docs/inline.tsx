/** A text in which names of the wire stand in backticks. */
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
