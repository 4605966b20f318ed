"""The studio for tests and pictures: a server of its own process, and a browser that uses it as a person would."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


@contextmanager
def served(folder: Path, *tables: Path) -> Iterator[str]:
    """The address of a studio; it is ended as by Ctrl-C."""
    command = [
        sys.executable,
        "-m",
        "multigene",
        "studio",
        *map(str, tables),
        "--workspace",
        str(folder),
        "--no-browser",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def until(condition: Callable[[], Any], seconds: float = 240.0) -> Any:
    """Wait until a condition holds; elements may come and go meanwhile."""
    end, last = time.monotonic() + seconds, None
    while time.monotonic() < end:
        try:
            if last := condition():
                return last
        except WebDriverException as error:
            last = error
        time.sleep(0.05)
    raise AssertionError(f"did not come true: {last}")


def click(driver: Any, name: str) -> None:
    """Click a control when it can be used."""

    def clicked() -> bool:
        element = driver.find_element(By.ID, name)
        if not element.is_enabled():
            return False
        driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()
        return True

    until(clicked)


def text(driver: Any, name: str) -> str:
    """What a place says."""
    return str(driver.find_element(By.ID, name).text)


def fill(driver: Any, name: str, value: str) -> None:
    """Type into a field."""

    def filled() -> bool:
        field = driver.find_element(By.ID, name)
        driver.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", field)
        field.clear()
        field.send_keys(value)
        return field.get_attribute("value") == value

    until(filled)


def begin(driver: Any, address: str, **fields: str) -> float:
    """From the address to a running search; seconds from Start to the first formula on the screen."""
    driver.get(address)
    click(driver, "to-question")
    for name, value in fields.items():
        fill(driver, name, value)
    click(driver, "start")
    started = time.monotonic()
    until(lambda: "=" in text(driver, "best-formula"))
    return time.monotonic() - started


def focused_by_tab(driver: Any, name: str, most: int = 200) -> Any:
    """Press Tab until a control has the focus, as somebody without a mouse does."""
    for _ in range(most):
        active = driver.switch_to.active_element
        if active.get_attribute("id") == name:
            return active
        active.send_keys(Keys.TAB)
    raise AssertionError(f"Tab does not come to {name}")


def state(driver: Any) -> str:
    """Where the run stands, as the page says."""
    return text(driver, "run-state")


def ready(driver: Any) -> bool:
    """Is the explorer drawn?"""
    return driver.execute_script("return document.documentElement.dataset.ready") == "yes"
