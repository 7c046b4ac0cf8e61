import styles from './legal-text.module.css'

/** Groups of digits stay together: «1 000 000 000» is one number. */
const joined = (block: string) => block.replaceAll(/(?<=\d) (?=\d{3}(?!\d))/g, '\u00a0')

/**
 * A legal text as customers see it: paragraphs between empty lines; a line that begins with # is a heading.
 */
export function LegalText({ text }: { text: string }) {
  const blocks = text.split(/\n\s*\n|\n(?=#)|(?<=^#[^\n]*)\n/m).map((block) => joined(block.trim()))
  return (
    <div className={styles.text}>
      {blocks
        .filter((block) => block !== '')
        .map((block, index) =>
          block.startsWith('#') ? (
            // The text is shown whole and never reordered.
            // oxlint-disable-next-line react/no-array-index-key
            <h2 key={index}>{block.replace(/^#+\s*/, '')}</h2>
          ) : (
            // oxlint-disable-next-line react/no-array-index-key
            <p key={index}>{block}</p>
          ),
        )}
    </div>
  )
}
