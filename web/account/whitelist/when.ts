/** A time near the present: without its year. */
export const whenText = (iso: string, language: 'ru' | 'en'): string =>
  new Date(iso).toLocaleString(language === 'ru' ? 'ru-RU' : 'en-US', {
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  })
