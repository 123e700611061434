/** The foot of public pages. */
const links = [
  ['/docs', 'Docs'],
  ['/docs/reference', 'API reference'],
  ['/status', 'Status'],
  ['/changelog', 'Changelog'],
  ['/terms', 'Terms'],
  ['/privacy', 'Privacy'],
  ['/disclosure', 'Security'],
] as const;

export const SiteFoot = () => (
  <footer class="site-foot">
    <span>packshot</span>
    <nav aria-label="Footer">
      {links.map(([href, name]) => (
        <a key={href} href={href}>
          {name}
        </a>
      ))}
    </nav>
  </footer>
);
