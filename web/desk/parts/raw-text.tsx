import styles from './raw-text.module.css'

/** Raw text of another program; a long one can be scrolled by keyboard. */
export function RawText({ text }: { text: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text is scrolled by the keyboard
    <pre translate="no" className={styles.raw} tabIndex={0}>
      {text}
    </pre>
  )
}

/** The fields of an HTTP message, one per line. */
export const headersText = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
