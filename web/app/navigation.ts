/** Where the header and the footer lead. */
export const sections = [
  { to: '/', text: 'about' },
  { to: '/proxy', text: 'proxy' },
  { to: '/shares', text: 'shares' },
  { to: '/reviews', text: 'reviews' },
  { to: '/rules', text: 'rules' },
] as const
