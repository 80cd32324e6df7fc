"""A day of an editor at a WordPress site with the calendar: every scene is what a person does there, in a browser."""

import time

# Seconds that a page may take for one thing.
PATIENCE = 40
PICTURE = """new Promise(done => {
    const canvas = Object.assign(document.createElement("canvas"), {width: 64, height: 48});
    canvas.getContext("2d").fillRect(0, 0, 32, 48);
    canvas.toBlob(blob => done(new File([blob], "picture.png", {type: "image/png"})));
})"""
EDITOR = 'wp.data.select("core/editor")'
CHANGE = 'wp.data.dispatch("core/editor")'
BLOCKS = 'wp.data.dispatch("core/block-editor")'
ENTITIES = 'wp.data.resolveSelect("core")'
RECORDS = 'wp.data.dispatch("core")'


class Day:
    """The scenes of one day in one tab, in their order."""

    def __init__(self, browser, site, user, password):
        self.browser, self.site, self.user, self.password = browser, site.rstrip("/"), user, password
        self.post = None

    def scenes(self):
        """Each scene with its name."""
        return [(scene.__name__.replace("_", " "), scene) for scene in (
            self.visit_as_a_reader, self.log_in, self.look_at_the_dashboard, self.write_a_post, self.upload_a_picture,
            self.choose_author_and_categories, self.link_and_embed, self.save_and_preview, self.publish, self.change_several_at_once,
            self.edit_the_site, self.edit_quickly, self.moderate_comments, self.manage_users, self.make_an_application_password,
            self.upload_in_the_library, self.read_site_health, self.edit_an_event, self.edit_a_venue, self.write_an_event,
            self.read_the_site, self.log_out)]

    # How a person moves.

    def open(self, path):
        self.browser.open(self.site + path)

    def visit(self, *paths):
        """Opens pages one after the other, each with everything that it asks for."""
        for path in paths:
            self.open(path)
            self.settle()

    def run(self, script):
        return self.browser.run(script)

    def act(self, script):
        """Runs an expression for what it does, and waits for its promise."""
        self.run(f"Promise.resolve(({script})).then(() => 0)")

    def until(self, script):
        return self.browser.until(script, PATIENCE)

    def click(self, selector):
        """Clicks the first element, once it is there."""
        found = f"document.querySelector({selector!r})"
        self.until(f"!!{found}")
        self.act(f"{found}.click()")

    def fill(self, selector, text):
        field = f"document.querySelector({selector!r})"
        self.until(f"!!{field}")
        self.act(f"{field}.value = {text!r}, {field}.dispatchEvent(new Event('change', {{bubbles: true}}))")

    def leave(self, selector):
        """Clicks a link or sends a form, and waits for the next page."""
        self.until(f"!!document.querySelector({selector!r})")
        self.act("window.isLeft = true, window.onbeforeunload = null, window.jQuery && jQuery(window).off('beforeunload')")
        self.act(f"setTimeout(() => document.querySelector({selector!r}).click(), 0)")
        self.until("!window.isLeft && document.readyState === 'complete'")

    def open_editor(self, path):
        self.open(path)
        self.until(f"!!window.wp && !!wp.data && !!{EDITOR} && !!{EDITOR}.getCurrentPostId()")
        self.act("wp.data.dispatch('core/preferences').set('core/edit-post', 'welcomeGuide', false),"
                 "wp.data.dispatch('core/preferences').set('core', 'enableChoosePatternModal', false), 0")
        self.settle()

    def settle(self):
        """Waits until the page asks for nothing any more."""
        quiet, seen, end = 0, -1, time.monotonic() + 30
        while quiet < 4 and time.monotonic() < end:
            self.browser.rest(0.4)
            count = len(self.browser.events)
            quiet, seen = (quiet + 1, seen) if count == seen else (0, count)

    def save(self):
        self.act(f"{CHANGE}.savePost()")
        self.until(f"!{EDITOR}.isSavingPost()")
        self.expect(f"{EDITOR}.didPostSaveRequestSucceed()", "the editor saves")

    def expect(self, script, what):
        if not self.run(script):
            raise AssertionError(f"not so: {what}")

    # The scenes.

    def visit_as_a_reader(self):
        self.visit("/", "/?s=post", "/events/", "/events/list/?tribe-bar-search=concert", "/feed/", "/hello-world/")
        self.open("/events/list/")
        # The calendar turns its pages by calls of its own.
        self.click("a[data-js='tribe-events-view-link']")
        self.settle()

    def log_in(self):
        self.open("/wp-login.php")
        self.fill("#user_login", self.user)
        self.fill("#user_pass", self.password)
        self.leave("#wp-submit")
        self.expect("location.pathname.includes('/wp-admin/')", "the login leads to wp-admin")

    def look_at_the_dashboard(self):
        self.open("/wp-admin/index.php")
        self.act("wp.heartbeat && wp.heartbeat.connectNow()")
        self.settle()
        self.fill("#quick-press #title", "A thought")
        self.click("#save-post")
        self.settle()

    def write_a_post(self):
        self.open_editor("/wp-admin/post-new.php")
        self.post = self.run(f"{EDITOR}.getCurrentPostId()")
        self.act(f"{CHANGE}.editPost({{title: 'A day of an editor'}})")
        self.act(f"{BLOCKS}.insertBlocks([wp.blocks.createBlock('core/paragraph', {{content: 'A text.'}}),"
                 "wp.blocks.createBlock('core/latest-posts'), wp.blocks.createBlock('core/latest-comments'), wp.blocks.createBlock('core/archives')])")
        self.act("wp.data.dispatch('core/edit-post').openGeneralSidebar('edit-post/document')")
        self.settle()

    def upload_a_picture(self):
        upload = "wp.data.select('core/block-editor').getSettings().mediaUpload"
        self.act(f"{PICTURE}.then(file => {upload}({{filesList: [file], allowedTypes: ['image'], onError: fault => window.fault = fault,"
                 "onFileChange: ([image]) => window.image = image}))")
        self.until("window.fault || window.image && image.id")
        self.expect("!window.fault", "the picture arrives")
        self.act(f"{BLOCKS}.insertBlocks(wp.blocks.createBlock('core/image', {{id: image.id, url: image.url}}))")
        self.act(f"{CHANGE}.editPost({{featured_media: image.id}})")
        self.act(f"{ENTITIES}.getEntityRecords('postType', 'attachment', {{per_page: 10}})")
        self.settle()

    def choose_author_and_categories(self):
        for button in (".editor-post-author__panel-toggle", ".editor-post-panel__row .editor-post-schedule__dialog-toggle"):
            self.act(f"document.querySelector({button!r})?.click()")
            self.settle()
        authors = "{who: 'authors', per_page: 50, _fields: 'id,name', context: 'view'}"
        self.act(f"{ENTITIES}.getUsers({authors}).then(found => window.authors = found)")
        self.expect("authors.length > 0", "authors are listed")
        self.act(f"{CHANGE}.editPost({{author: authors[0].id}})")
        self.act(f"{ENTITIES}.getEntityRecords('taxonomy', 'category', {{per_page: -1, _fields: 'id,name,parent'}})")
        self.act(f"{RECORDS}.saveEntityRecord('taxonomy', 'category', {{name: 'Category ' + Date.now()}})"
                 f".then(term => {CHANGE}.editPost({{categories: [term.id]}}))")
        self.act(f"{RECORDS}.saveEntityRecord('taxonomy', 'post_tag', {{name: 'Tag ' + Date.now()}})")
        self.settle()

    def link_and_embed(self):
        self.act("wp.data.select('core/block-editor').getSettings().__experimentalFetchLinkSuggestions('post', {})")
        self.act(f"{ENTITIES}.getEmbedPreview({self.site + '/hello-world/'!r})")
        text = "'<!-- wp:paragraph --><p>x</p><!-- /wp:paragraph -->'"
        self.act(f"{RECORDS}.saveEntityRecord('postType', 'wp_block', {{title: 'A pattern', content: {text}, status: 'publish'}})"
                 f".then(block => {BLOCKS}.insertBlocks(wp.blocks.createBlock('core/block', {{ref: block.id}})))")
        self.settle()

    def save_and_preview(self):
        self.save()
        self.act(f"{CHANGE}.editPost({{excerpt: 'Short.'}}), {CHANGE}.autosave()")
        link = self.run(f"{CHANGE}.__unstableSaveForPreview().then(() => {EDITOR}.getEditedPostPreviewLink())")
        self.browser.open(link)
        self.expect("document.body.innerText.includes('A day of an editor')", "the preview shows the post")
        self.settle()

    def publish(self):
        self.open_editor(f"/wp-admin/post.php?post={self.post}&action=edit")
        self.act(f"{CHANGE}.editPost({{status: 'publish'}})")
        self.save()
        self.act(f"{CHANGE}.editPost({{title: 'A day of an editor, again'}})")
        self.save()
        self.act(f"{ENTITIES}.getRevisions('postType', 'post', {self.post})")
        self.settle()

    def change_several_at_once(self):
        self.act(f"{RECORDS}.__experimentalBatch([1, 2].map(number => ({{saveEntityRecord}}) =>"
                 "saveEntityRecord('taxonomy', 'category', {name: 'Batch ' + number + ' ' + Date.now()})))")
        self.act("wp.apiFetch({path: '/batch/v1', method: 'POST', data: {requests: [{path: '/wp/v2/posts', body: {title: 'From a batch'}}]}})"
                 ".then(found => window.batch = found)")
        self.expect("batch.responses[0].status === 201", "a batch is served")
        self.act(f"{RECORDS}.deleteEntityRecord('postType', 'post', batch.responses[0].body.id)")
        self.settle()

    def edit_the_site(self):
        self.visit("/wp-admin/site-editor.php", "/wp-admin/site-editor.php?p=%2Fpage", "/wp-admin/site-editor.php?p=%2Fstyles")

    def edit_quickly(self):
        self.open("/wp-admin/edit.php")
        self.click(f"#post-{self.post} .editinline")
        self.fill(f"#edit-{self.post} input[name=post_title]", "Edited quickly")
        self.click(f"#edit-{self.post} .save")
        self.until(f"!!document.querySelector('#post-{self.post}') && document.querySelector('#post-{self.post}').innerText.includes('Edited quickly')")
        self.visit("/wp-admin/edit.php?s=quickly&post_status=all", "/wp-admin/edit.php?author=1", "/wp-admin/edit-tags.php?taxonomy=category")

    def moderate_comments(self):
        self.open("/wp-admin/edit-comments.php")
        self.act("document.querySelector('.unapproved .vim-a, .approved .vim-u, .vim-a')?.click()")
        self.settle()
        self.visit("/wp-admin/edit-comments.php?comment_status=approved")

    def manage_users(self):
        self.visit("/wp-admin/users.php", "/wp-admin/users.php?role=author", "/wp-admin/user-edit.php?user_id=2", "/wp-admin/profile.php")

    def make_an_application_password(self):
        self.open("/wp-admin/profile.php")
        self.fill("#new_application_password_name", f"Editor {time.time():.0f}")
        self.click("#do_new_application_password")
        self.until("!!document.querySelector('#new-application-password-value')")
        self.act("window.confirm = () => true")
        self.click("#application-passwords-section tbody tr .delete button, #application-passwords-section tbody tr button.delete")
        self.settle()

    def upload_in_the_library(self):
        self.visit("/wp-admin/upload.php?mode=grid")
        sent = """.then(file => { const form = new FormData(), given = _wpPluploadSettings.defaults;
            Object.entries(given.multipart_params).forEach(([name, value]) => form.append(name, value));
            form.append("name", file.name); form.append("async-upload", file);
            return fetch(given.url, {method: "POST", body: form}); }).then(answer => answer.json()).then(answer => answer.success)"""
        if self.run(PICTURE + sent) is not True:
            raise AssertionError("not so: the library takes a picture")

    def read_site_health(self):
        self.open("/wp-admin/site-health.php")
        self.until("!document.querySelector('.site-health-progress-wrapper.loading')")
        self.settle()
        self.visit("/wp-admin/site-health.php?tab=debug")

    def edit_a_record(self, kind, title):
        self.open(f"/wp-admin/edit.php?post_type={kind}")
        if self.run("location.search.includes('wizard') || document.body.innerText.includes('Skip guided setup')"):
            self.act("[...document.querySelectorAll('button, a')].find(item => item.innerText.includes('Skip guided setup'))?.click()")
            self.settle()
            self.open(f"/wp-admin/edit.php?post_type={kind}")
        path = self.until("document.querySelector('#the-list .row-title')?.getAttribute('href')")
        path = path[path.index("/wp-admin/"):]
        self.visit(path)
        if self.run("!!document.querySelector('.block-editor')"):
            self.open_editor(path)
            self.act(f"{CHANGE}.editPost({{title: {title!r}}})")
            self.save()
        else:
            self.fill("#title", title)
            self.leave("#publish")
            self.expect("!!document.querySelector('#message.updated')", f"a {kind} is saved")
        self.settle()

    def edit_an_event(self):
        self.edit_a_record("tribe_events", "An event, edited")

    def edit_a_venue(self):
        self.edit_a_record("tribe_venue", "A venue, edited")

    def write_an_event(self):
        self.visit("/wp-admin/post-new.php?post_type=tribe_events", "/wp-admin/edit.php?page=tec-events-settings&post_type=tribe_events")
        self.open("/wp-admin/index.php")
        self.act("fetch(ajaxurl.replace('admin-ajax.php', 'admin-ajax.php?action=rest-nonce')).then(answer => answer.text()).then(nonce =>"
                 "fetch('/wp-json/wp/v2/tribe_events', {method: 'POST', headers: {'X-WP-Nonce': nonce, 'Content-Type': 'application/json'},"
                 "body: JSON.stringify({title: 'From a script', status: 'draft'})})).then(answer => window.status = answer.status)")
        self.expect("window.status == 201", "an event is written by REST")

    def read_the_site(self):
        self.visit("/", "/?s=editor", f"/?p={self.post}", "/events/", "/events/month/", "/author/admin/")

    def log_out(self):
        self.open("/")
        self.leave("#wp-admin-bar-logout a")
        self.open("/wp-admin/")
        self.expect("location.pathname.endsWith('wp-login.php')", "wp-admin is closed after the end of the day")
