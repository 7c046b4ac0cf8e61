/** The page around Scalar, in the colours of the shop. */

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export function docsPage(brand: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(brand)} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<div id="docs"></div>
<noscript>This page needs JavaScript. The same as a file: <a href="/api/openapi.json">/api/openapi.json</a>.</noscript>
<script src="/docs/scalar.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`
}

/** Nothing is sent to other hosts: no fonts, no usage reports, no assistant, no proxy for calls made from the page. */
export const docsStart = `Scalar.createApiReference('#docs', {
  url: '/api/openapi.json',
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  hideModels: true,
  persistAuth: false,
  expandAllResponses: false,
  hiddenClients: true,
  defaultOpenAllTags: true,
  authentication: { preferredSecurityScheme: 'apiToken' },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
})
`

export const docsStyle = `body { margin: 0; background: #f4f3ef }
:root {
  --scalar-font: system-ui, sans-serif;
  --scalar-font-code: ui-monospace, monospace;
  --scalar-radius: 6px;
  --scalar-radius-lg: 10px;
  --scalar-radius-xl: 10px;
}
.light-mode {
  --scalar-background-1: #f4f3ef;
  --scalar-background-2: #fbfaf7;
  --scalar-background-3: #e9e7e0;
  --scalar-background-accent: #ffc21a33;
  --scalar-border-color: #dad8d0;
  --scalar-color-1: #14171a;
  --scalar-color-2: #555b63;
  --scalar-color-3: #555b63;
  --scalar-color-accent: #8a5b00;
  --scalar-color-green: #1b7f4b;
  --scalar-color-red: #b3261e;
  --scalar-color-yellow: #8a5b00;
  --scalar-color-orange: #a35a00;
  --scalar-color-blue: #1f5fa8;
  --scalar-color-purple: #6a3fa0;
  --scalar-button-1: #14171a;
  --scalar-button-1-color: #f4f3ef;
  --scalar-button-1-hover: #2a2f37;
}
.dark-mode {
  --scalar-background-1: #101215;
  --scalar-background-2: #171a1f;
  --scalar-background-3: #1d2127;
  --scalar-background-accent: #ffc83d26;
  --scalar-border-color: #2a2f37;
  --scalar-color-1: #ecebe6;
  --scalar-color-2: #9aa1ab;
  --scalar-color-3: #9aa1ab;
  --scalar-color-accent: #ffc83d;
  --scalar-color-green: #4cc38a;
  --scalar-color-red: #f2766b;
  --scalar-color-yellow: #ffc83d;
  --scalar-color-orange: #f0a84b;
  --scalar-color-blue: #7fb2ee;
  --scalar-color-purple: #b99aee;
  --scalar-button-1: #ffc83d;
  --scalar-button-1-color: #14171a;
  --scalar-button-1-hover: #ffd66b;
}
.light-mode .sidebar, .light-mode .t-doc__sidebar { --scalar-sidebar-background-1: #fbfaf7 }
.dark-mode .sidebar, .dark-mode .t-doc__sidebar { --scalar-sidebar-background-1: #171a1f }
noscript { display: block; padding: 32px; font: 16px/1.5 system-ui, sans-serif }
`
